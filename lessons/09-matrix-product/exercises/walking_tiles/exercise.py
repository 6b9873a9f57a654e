"""Tiles of a matrix product, walking along K."""

import torch

from tritontui.runner.spec import Case, Exercise


def inputs(case: Case, generator: torch.Generator) -> list:
    a = torch.randn(64, case["K"], generator=generator).half()
    b = torch.randn(case["K"], 96, generator=generator).half()
    return [a, b, case["tile"]]


EXERCISE = Exercise(
    entry="matmul",
    inputs=inputs,
    trace_case=Case("start", {"tile": 16, "K": 64}, seeds=(0,)),
)
