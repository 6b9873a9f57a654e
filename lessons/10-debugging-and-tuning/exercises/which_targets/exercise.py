"""A product of tiles, compiled for one card after another: how much shared memory it wants there; explored."""

import torch

from tritontui.runner.spec import Case, Exercise


def inputs(case: Case, generator: torch.Generator) -> list[object]:
    a = torch.randn(128, 128, generator=generator).to(torch.float16)
    b = torch.randn(128, 256, generator=generator).to(torch.float16)
    return [a, b, case["BLOCK_N"], case["num_stages"]]


EXERCISE = Exercise(
    entry="matmul",
    inputs=inputs,
    trace_case=Case("start", {"BLOCK_N": 256, "num_stages": 3}),
)
