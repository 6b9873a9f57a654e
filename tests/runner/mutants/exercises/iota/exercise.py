"""iota: 0, 1, 2, … written by eight programs, each of which takes every eighth block."""

import torch

from tritontui.runner.spec import Case, Exercise


def inputs(case: Case, generator: torch.Generator) -> list[torch.Tensor]:
    return [torch.zeros(case["n"], dtype=torch.int32, device=case.get("device", "cpu"))]


EXERCISE = Exercise(
    entry="iota",
    kernel="iota_kernel",
    outputs=("out_ptr",),
    inputs=inputs,
    reference=lambda like: torch.arange(like.numel(), device=like.device, dtype=torch.int32),
    cases=[Case(f"n = {n}", {"n": n}, seeds=(0,)) for n in (0, 1, 31, 32, 33, 600, 1031)],
    trace_case=Case("n = 600", {"n": 600}, seeds=(0,)),
    ideal_bytes=lambda like: 4 * like.numel(),
    reads_per_write=0.0,
)
