"""Add a bias to every row of a matrix: out[i, j] = x[i, j] + bias[j], the output contiguous."""

import torch

from tritontui.runner.spec import Case, Exercise, in_each_view, seen_as

SHAPES = ((0, 5), (1, 1), (8, 32), (13, 70), (64, 96), (70, 13))


def inputs(case: Case, generator: torch.Generator) -> list[torch.Tensor]:
    rows, columns = case["rows"], case["columns"]
    if (device := case.get("device", "cpu")) != "cpu":  # the measured case: made where it is used
        return [torch.randn(rows, columns, device=device), torch.randn(columns, device=device)]
    dtype, step = case.get("dtype", torch.float32), case.get("step", 1)
    bias = torch.randn(columns * step, generator=generator).to(dtype)[::step]
    x = torch.randn(rows, columns, generator=generator).to(dtype)
    return [seen_as(case.get("view", "contiguous"), x), bias]


EXERCISE = Exercise(
    entry="add_bias",
    kernel="bias_kernel",
    outputs=("out_ptr",),
    inputs=inputs,
    reference=lambda x, bias: x + bias,
    cases=[
        *(Case(f"{m} × {n}", {"rows": m, "columns": n}, seeds=(0,)) for m, n in SHAPES),
        *in_each_view("37 × 70", {"rows": 37, "columns": 70}),
        Case("37 × 70, every third bias", {"rows": 37, "columns": 70, "step": 3}, it="37 × 70, un bias ogni tre"),
        Case("37 × 70, float16", {"rows": 37, "columns": 70, "dtype": torch.float16}, seeds=(0,)),
    ],
    trace_case=Case(
        "13 × 70, every other bias", {"rows": 13, "columns": 70, "step": 2}, it="13 × 70, un bias sì e uno no"
    ),
    measure_case=Case("16384 × 8192", {"rows": 16384, "columns": 8192}),
    ideal_bytes=lambda x, bias: (2 * x.numel() + bias.numel()) * x.element_size(),
)
