"""Multiply a matrix by a number; repaired, not written."""

import torch

from tritontui.runner.spec import Case, Exercise

SHAPES = ((1, 1), (16, 16), (20, 20), (32, 32), (20, 50), (50, 20), (37, 251))


def inputs(case: Case, generator: torch.Generator) -> list:
    return [torch.randn(case["rows"], case["columns"], generator=generator), 0.5]


EXERCISE = Exercise(
    entry="scale_2d",
    kernel="scale_kernel",
    outputs=("out_ptr",),
    inputs=inputs,
    reference=lambda x, factor: x * factor,
    cases=[Case(f"{m} × {n}", {"rows": m, "columns": n}, seeds=(0,)) for m, n in SHAPES],
    trace_case=Case("20 × 50", {"rows": 20, "columns": 50}),
)
