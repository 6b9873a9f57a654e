"""A softmax that takes no maximum; repaired, not written."""

import torch

from tritontui.runner.spec import Case, Exercise, Tolerance

TOLERANCE = Tolerance(
    1e-5,
    1e-7,
    "an exponential and a sum of hundreds of numbers, in float32",
    "un esponenziale e una somma di centinaia di numeri, in float32",
)


def inputs(case: Case, generator: torch.Generator) -> list[torch.Tensor]:
    x = torch.randn(case["rows"], case["columns"], generator=generator)
    return [x * case.get("scale", 1.0) + case.get("centre", 0.0)]


EXERCISE = Exercise(
    entry="softmax",
    kernel="softmax_kernel",
    outputs=("out_ptr",),
    inputs=inputs,
    reference=lambda x: torch.softmax(x, dim=1),
    cases=[
        *(Case(f"{m} × {n}", {"rows": m, "columns": n}, seeds=(0,)) for m, n in ((1, 1), (4, 64), (7, 65))),
        Case("4 × 50, x ≈ 100", {"rows": 4, "columns": 50, "centre": 100.0}),
        Case("4 × 50, x ≈ −200", {"rows": 4, "columns": 50, "centre": -200.0}),
    ],
    trace_case=Case("5 × 50, x ≈ 100", {"rows": 5, "columns": 50, "centre": 100.0}),
    tolerances={torch.float32: TOLERANCE},
)
