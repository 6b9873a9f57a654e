"""A matrix seen through four views, read tile by tile: the same kernel, other strides."""

import torch

from tritontui.runner.spec import Case, Exercise, seen_as


def inputs(case: Case, generator: torch.Generator) -> list[torch.Tensor]:
    x = torch.randn(case["rows"], case["columns"], generator=generator)
    return [seen_as(case["view"], x)]


EXERCISE = Exercise(
    entry="read",
    inputs=inputs,
    trace_case=Case("start", {"view": "contiguous", "rows": 8, "columns": 20}, seeds=(0,)),
)
