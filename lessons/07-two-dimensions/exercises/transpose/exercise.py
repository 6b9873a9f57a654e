"""Transpose a matrix into a contiguous one, whatever the strides it comes with."""

import torch

from tritontui.runner.spec import EXACT, Case, Exercise, in_each_view, seen_as

SHAPES = ((0, 5), (1, 1), (16, 32), (33, 17), (64, 96), (251, 37))


def inputs(case: Case, generator: torch.Generator) -> list[torch.Tensor]:
    rows, columns = case["rows"], case["columns"]
    if (device := case.get("device", "cpu")) != "cpu":  # the measured case: made where it is used
        return [torch.randn(rows, columns, device=device)]
    x = torch.randn(rows, columns, generator=generator).to(case.get("dtype", torch.float32))
    return [seen_as(case.get("view", "contiguous"), x)]


EXERCISE = Exercise(
    entry="transpose",
    kernel="transpose_kernel",
    outputs=("out_ptr",),
    inputs=inputs,
    reference=lambda x: x.t().contiguous(),
    reference_in_float64=False,
    cases=[
        *(Case(f"{m} × {n}", {"rows": m, "columns": n}, seeds=(0,)) for m, n in SHAPES),
        *in_each_view("37 × 50", {"rows": 37, "columns": 50}),
        Case("37 × 50, float16", {"rows": 37, "columns": 50, "dtype": torch.float16}, seeds=(0,)),
    ],
    trace_case=Case("20 × 50", {"rows": 20, "columns": 50}),
    measure_case=Case("16384 × 16384", {"rows": 16384, "columns": 16384}),
    tolerances=dict.fromkeys((torch.float16, torch.float32), EXACT),
    ideal_bytes=lambda x: 2 * x.numel() * x.element_size(),
)
