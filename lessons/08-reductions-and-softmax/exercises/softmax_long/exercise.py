"""Softmax of rows that are too long for one block."""

import torch

from tritontui.runner.spec import Case, Exercise, Tolerance

SHAPES = ((0, 5), (1, 1), (4, 4096), (3, 4097), (2, 10_000), (3, 100), (1, 1_100_000))


def inputs(case: Case, generator: torch.Generator) -> list[torch.Tensor]:
    rows, columns = case["rows"], case["columns"]
    if (device := case.get("device", "cpu")) != "cpu":  # the measured case: made where it is used
        return [torch.randn(rows, columns, device=device)]
    x = torch.randn(rows, columns, generator=generator) * case.get("scale", 1.0) + case.get("centre", 0.0)
    if case.get("rising"):
        x = x + torch.arange(columns) * 0.005  # the maximum comes last: every block raises it
    return [x]


EXERCISE = Exercise(
    entry="softmax",
    kernel="softmax_kernel",
    outputs=("out_ptr",),
    inputs=inputs,
    reference=lambda x: torch.softmax(x, dim=1),
    cases=[
        *(Case(f"{m} × {n}", {"rows": m, "columns": n}, seeds=(0,)) for m, n in SHAPES),
        Case("2 × 10000, x ≈ ±300", {"rows": 2, "columns": 10_000, "scale": 300.0}),
        Case("2 × 10000, x ↗", {"rows": 2, "columns": 10_000, "rising": True}),
        Case("2 × 10000, x ≈ −200", {"rows": 2, "columns": 10_000, "centre": -200.0}),
    ],
    trace_case=Case("2 × 6000, x ↗", {"rows": 2, "columns": 6000, "rising": True}),
    measure_case=Case("64 × 2²⁰", {"rows": 64, "columns": 1 << 20}),
    tolerances={
        torch.float32: Tolerance(
            1e-4,
            1e-9,
            "exponentials and a sum of thousands of numbers, rescaled block by block, in float32",
            "esponenziali e una somma di migliaia di numeri, riscalata blocco per blocco, in float32",
        )
    },
    ideal_bytes=lambda x: 3 * x.numel() * x.element_size(),
    reads_per_write=2.0,
)
