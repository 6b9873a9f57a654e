"""Each program writes its own id into its own block of 64: the output is the map."""

import torch

from tritontui.runner.spec import Case, Exercise

BLOCK = 64
"""The starter's, and part of the task: the reference says who owns an element."""


def inputs(case: Case, generator: torch.Generator) -> list[torch.Tensor]:
    """A vector of n elements, of which only the length and the device count."""
    return [torch.zeros(case["n"], dtype=torch.float32)]


def reference(like: torch.Tensor) -> torch.Tensor:
    return (torch.arange(like.numel(), device=like.device) // BLOCK).to(torch.int32)


def cases() -> list[Case]:
    sizes = (1, BLOCK - 1, BLOCK, BLOCK + 1, 200, 5 * BLOCK, 997)
    return [Case(f"n = {n}", {"n": n}, seeds=(0,)) for n in sizes]


EXERCISE = Exercise(
    entry="fill_pid",
    kernel="fill_kernel",
    outputs=("out_ptr",),
    inputs=inputs,
    reference=reference,
    cases=cases(),
    trace_case=Case("n = 200", {"n": 200}, seeds=(0,)),
)
