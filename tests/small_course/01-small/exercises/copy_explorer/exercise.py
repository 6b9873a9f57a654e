"""A copy to be explored: how many elements, and how many a program takes."""

from typing import Any

import torch

from tritontui.runner.spec import Case, Exercise


def inputs(case: Case, generator: torch.Generator) -> list[Any]:
    return [torch.randn(case["n"], generator=generator), case["BLOCK"]]


EXERCISE = Exercise(
    entry="copy",
    inputs=inputs,
    trace_case=Case("n = 256, BLOCK = 64", {"n": 256, "BLOCK": 64}),
)
