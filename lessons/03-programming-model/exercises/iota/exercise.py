"""Element i holds i, and in a second output the program that wrote it; P programs take turns: pid, pid + P, …"""

import torch

from tritontui.runner.spec import Case, Exercise

BLOCK = 64
"""The starter's, and part of the task: it makes the number of programs, and with it the owner of each element."""


def inputs(case: Case, generator: torch.Generator) -> list[torch.Tensor]:
    """A vector of n elements, of which only the length and the device count."""
    return [torch.zeros(case["n"], dtype=torch.float32)]


def reference(like: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    index = torch.arange(like.numel(), device=like.device, dtype=torch.int32)
    programs = -(-like.numel() // BLOCK)
    return index, index % programs


def cases() -> list[Case]:
    sizes = (1, BLOCK - 1, BLOCK, BLOCK + 1, 150, 5 * BLOCK, 997)
    return [Case(f"n = {n}", {"n": n}, seeds=(0,)) for n in sizes]


EXERCISE = Exercise(
    entry="iota",
    kernel="iota_kernel",
    outputs=("out_ptr", "owner_ptr"),
    inputs=inputs,
    reference=reference,
    cases=cases(),
    trace_case=Case("n = 150", {"n": 150}, seeds=(0,)),  # three programs of 50: more would touch 4 times the sectors
)
