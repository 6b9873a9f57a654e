"""add_bias: out[i, j] = x[i, j] + bias[j]."""

import torch

from tritontui.runner.spec import Case, Exercise


def inputs(case: Case, generator: torch.Generator) -> list[torch.Tensor]:
    rows, columns = case["rows"], case["columns"]
    device, dtype = case.get("device", "cpu"), case.get("dtype", torch.float32)
    x = torch.randn(rows, columns + case.get("spare", 0), generator=generator)
    bias = torch.randn(columns, generator=generator)
    return [x.to(device, dtype)[:, :columns], bias.to(device, dtype)]


EXERCISE = Exercise(
    entry="add_bias",
    kernel="bias_kernel",
    outputs=("out_ptr",),
    inputs=inputs,
    reference=lambda x, bias: x + bias,
    cases=[
        *(Case(f"{m} × {n}", {"rows": m, "columns": n}, seeds=(0,)) for m, n in ((1, 1), (8, 64), (13, 70), (37, 129))),
        Case("sliced", {"rows": 13, "columns": 70, "spare": 9}, seeds=(0,)),
        Case("float16", {"rows": 13, "columns": 70, "dtype": torch.float16}, seeds=(0,)),
    ],
    trace_case=Case("11 × 70", {"rows": 11, "columns": 70}, seeds=(0,)),
    ideal_bytes=lambda x, bias: (2 * x.numel() + bias.numel()) * x.element_size(),
)
