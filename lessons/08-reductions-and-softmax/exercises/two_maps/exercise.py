"""A kernel that maps each element to one of its own, beside one that makes one number of a row."""

import torch

from tritontui.runner.spec import Case, Exercise


def inputs(case: Case, generator: torch.Generator) -> list:
    x = torch.randn(6, case["columns"], generator=generator)
    return [x, case["kernel"], case["num_warps"]]


EXERCISE = Exercise(
    entry="rows",
    inputs=inputs,
    trace_case=Case("start", {"kernel": "pointwise", "columns": 100, "num_warps": 4}, seeds=(0,)),
)
