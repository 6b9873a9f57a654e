"""fill_pid: element i of the output is the number of the block it lies in."""

import torch

from tritontui.runner.spec import Case, Exercise


def inputs(case: Case, generator: torch.Generator) -> list[torch.Tensor]:
    return [torch.zeros(case["n"], dtype=torch.int32, device=case.get("device", "cpu"))]


EXERCISE = Exercise(
    entry="fill_pid",
    kernel="fill_kernel",
    outputs=("out_ptr",),
    inputs=inputs,
    reference=lambda like: torch.arange(like.numel(), device=like.device, dtype=torch.int32) // 64,
    cases=[Case(f"n = {n}", {"n": n}, seeds=(0,)) for n in (0, 1, 63, 64, 65, 300, 1031)],
    trace_case=Case("n = 300", {"n": 300}, seeds=(0,)),
    ideal_bytes=lambda like: 4 * like.numel(),
    reads_per_write=0.0,
)
