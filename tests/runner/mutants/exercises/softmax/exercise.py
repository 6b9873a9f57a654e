"""softmax: each row of a matrix, stable for large values."""

import torch

from tritontui.runner.spec import Case, Exercise, Tolerance


def inputs(case: Case, generator: torch.Generator) -> list[torch.Tensor]:
    rows, columns = case["rows"], case["columns"]
    device, dtype = case.get("device", "cpu"), case.get("dtype", torch.float32)
    x = torch.randn(rows, columns + case.get("spare", 0), generator=generator) * case.get("scale", 1.0)
    return [(x + case.get("centre", 0.0)).to(device, dtype)[:, :columns]]


EXERCISE = Exercise(
    entry="softmax",
    kernel="softmax_kernel",
    outputs=("out_ptr",),
    inputs=inputs,
    reference=lambda x: torch.softmax(x, dim=1),
    cases=[
        *(Case(f"{m} × {n}", {"rows": m, "columns": n}, seeds=(0,)) for m, n in ((1, 1), (4, 64), (7, 65), (5, 700))),
        Case("large values", {"rows": 4, "columns": 100, "scale": 300.0}, seeds=(0,)),
        Case("negative values", {"rows": 4, "columns": 50, "centre": -60.0}, seeds=(0,)),
        Case("sliced", {"rows": 7, "columns": 50, "spare": 6}, seeds=(0,)),
    ],
    trace_case=Case("5 × 50", {"rows": 5, "columns": 50}, seeds=(0,)),
    tolerances={torch.float32: Tolerance(1e-5, 1e-7, "an exponential and a sum of hundreds, in float32")},
    ideal_bytes=lambda x: 2 * x.numel() * x.element_size(),
)
