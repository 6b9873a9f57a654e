"""Softmax of each row of a matrix, right for numbers of any size."""

import torch

from tritontui.runner.spec import Case, Exercise, Tolerance, in_each_view, seen_as

SHAPES = ((0, 5), (1, 1), (4, 64), (7, 65), (5, 700), (3, 1025))


def inputs(case: Case, generator: torch.Generator) -> list[torch.Tensor]:
    rows, columns = case["rows"], case["columns"]
    if (device := case.get("device", "cpu")) != "cpu":  # the measured case: made where it is used
        return [torch.randn(rows, columns, device=device)]
    x = torch.randn(rows, columns, generator=generator) * case.get("scale", 1.0) + case.get("centre", 0.0)
    x[: case.get("nothing", 0)] = -float("inf")  # softmax is NaN there, PyTorch's as well
    return [seen_as(case.get("view", "contiguous"), x.to(case.get("dtype", torch.float32)))]


EXERCISE = Exercise(
    entry="softmax",
    kernel="softmax_kernel",
    outputs=("out_ptr",),
    inputs=inputs,
    reference=lambda x: torch.softmax(x, dim=1),
    cases=[
        *(Case(f"{m} × {n}", {"rows": m, "columns": n}, seeds=(0,)) for m, n in SHAPES),
        Case("4 × 100, x ≈ ±300", {"rows": 4, "columns": 100, "scale": 300.0}),
        Case("4 × 50, x ≈ −200", {"rows": 4, "columns": 50, "centre": -200.0}),
        Case("3 × 50, x[0] = −inf", {"rows": 3, "columns": 50, "nothing": 1}, seeds=(0,)),
        *in_each_view("7 × 50", {"rows": 7, "columns": 50}, seeds=(0,)),
        Case("7 × 50, float16", {"rows": 7, "columns": 50, "dtype": torch.float16}, seeds=(0,)),
    ],
    trace_case=Case("5 × 50, transposed", {"rows": 5, "columns": 50, "view": "transposed"}, it="5 × 50, trasposta"),
    measure_case=Case("8192 × 8192", {"rows": 8192, "columns": 8192}),
    tolerances={
        torch.float32: Tolerance(
            1e-5,
            1e-7,
            "an exponential and a sum of hundreds of numbers, in float32",
            "un esponenziale e una somma di centinaia di numeri, in float32",
        )
    },
    ideal_bytes=lambda x: 2 * x.numel() * x.element_size(),
    ideal_flops=lambda x: 5 * x.numel(),
)
