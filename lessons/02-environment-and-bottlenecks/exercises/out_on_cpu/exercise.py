"""A kernel to mend: out = 3·x, for a whole number of blocks."""

import torch

from tritontui.runner.spec import Case, Exercise

BLOCK = 256
"""The starter's; every size is a multiple of it, because masks come two lessons later."""


def inputs(case: Case, generator: torch.Generator) -> list[torch.Tensor]:
    dtype = case.get("dtype", torch.float32)
    return [torch.randn(case["n"], generator=generator).to(dtype)]


def cases() -> list[Case]:
    return [
        *(Case(f"n = {n}", {"n": n}) for n in (BLOCK, 2 * BLOCK, 7 * BLOCK)),
        Case(f"n = {3 * BLOCK}, float16", {"n": 3 * BLOCK, "dtype": torch.float16}),
    ]


EXERCISE = Exercise(
    entry="triple",
    kernel="triple_kernel",
    outputs=("out_ptr",),
    inputs=inputs,
    reference=lambda x: 3 * x,
    cases=cases(),
    trace_case=Case("n = 512", {"n": 2 * BLOCK}, seeds=(0,)),
)
