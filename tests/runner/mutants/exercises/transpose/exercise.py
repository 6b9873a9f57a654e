"""transpose: out[j, i] = x[i, j], the output contiguous."""

import torch

from tritontui.runner.spec import Case, Exercise


def inputs(case: Case, generator: torch.Generator) -> list[torch.Tensor]:
    rows, columns = case["rows"], case["columns"]
    device = case.get("device", "cpu")
    match case.get("view", "contiguous"):
        case "transposed":
            return [torch.randn(columns, rows, generator=generator).to(device).t()]
        case "sliced":
            return [torch.randn(rows, columns + 5, generator=generator).to(device)[:, 2 : columns + 2]]
        case _:
            return [torch.randn(rows, columns, generator=generator).to(device)]


EXERCISE = Exercise(
    entry="transpose",
    kernel="transpose_kernel",
    outputs=("out_ptr",),
    inputs=inputs,
    reference=lambda x: x.t().contiguous(),
    cases=[
        *(Case(f"{m} × {n}", {"rows": m, "columns": n}, seeds=(0,)) for m, n in ((1, 1), (16, 32), (33, 17), (64, 64))),
        Case("transposed", {"rows": 37, "columns": 50, "view": "transposed"}, seeds=(0,)),
        Case("sliced", {"rows": 37, "columns": 50, "view": "sliced"}, seeds=(0,)),
    ],
    trace_case=Case("20 × 50", {"rows": 20, "columns": 50}, seeds=(0,)),
    ideal_bytes=lambda x: 2 * x.numel() * x.element_size(),
)
