"""A copy in blocks, to be looked at: which program takes which elements."""

import torch

from tritontui.runner.spec import Case, Exercise


def inputs(case: Case, generator: torch.Generator) -> list[torch.Tensor | int]:
    return [torch.randn(case["n"], generator=generator), case["BLOCK"]]


EXERCISE = Exercise(
    entry="copy",
    kernel="copy_kernel",
    inputs=inputs,
    trace_case=Case("start", {"n": 1000, "BLOCK": 256}),
)
