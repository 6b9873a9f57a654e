"""row_sum: the sum of each row, in float32."""

import torch

from tritontui.runner.spec import Case, Exercise, Tolerance


def inputs(case: Case, generator: torch.Generator) -> list[torch.Tensor]:
    rows, columns = case["rows"], case["columns"]
    device, dtype = case.get("device", "cpu"), case.get("dtype", torch.float32)
    x = torch.randn(rows, columns + case.get("spare", 0), generator=generator) * case.get("scale", 1.0)
    return [(x + case.get("centre", 0.0)).to(device, dtype)[:, :columns]]


EXERCISE = Exercise(
    entry="row_sum",
    kernel="sum_kernel",
    outputs=("out_ptr",),
    inputs=inputs,
    reference=lambda x: x.sum(dim=1),
    cases=[
        *(
            Case(f"{m} × {n}", {"rows": m, "columns": n, "centre": 1.0}, seeds=(0,))
            for m, n in ((1, 1), (4, 64), (7, 65), (13, 500))
        ),
        Case("sliced", {"rows": 7, "columns": 50, "spare": 6, "centre": 1.0}, seeds=(0,)),
        Case("long rows", {"rows": 3, "columns": 3000, "centre": 1.0}, seeds=(0,)),
    ],
    trace_case=Case("5 × 200", {"rows": 5, "columns": 200, "centre": 1.0}, seeds=(0,)),
    tolerances={torch.float32: Tolerance(1e-5, 1e-5, "thousands of additions in float32, about 1 each")},
    ideal_bytes=lambda x: x.numel() * x.element_size(),
)
