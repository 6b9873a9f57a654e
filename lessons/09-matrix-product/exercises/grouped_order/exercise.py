"""The first programs of a matrix product, those that run at once; in which order they take their tiles of C."""

import torch

from tritontui.runner.spec import Case, Exercise


def inputs(case: Case, generator: torch.Generator) -> list:
    a = torch.randn(128, 32, generator=generator).half()
    b = torch.randn(32, 128, generator=generator).half()
    return [a, b, case["GROUP"], case["at_once"]]


EXERCISE = Exercise(
    entry="matmul",
    inputs=inputs,
    trace_case=Case("start", {"GROUP": 1, "at_once": 8}, seeds=(0,)),
)
