"""reverse: out[i] = x[n - 1 - i]."""

import torch

from tritontui.runner.spec import Case, Exercise


def inputs(case: Case, generator: torch.Generator) -> list[torch.Tensor]:
    return [torch.randn(case["n"], generator=generator).to(case.get("device", "cpu"))]


EXERCISE = Exercise(
    entry="reverse",
    kernel="reverse_kernel",
    outputs=("out_ptr",),
    inputs=inputs,
    reference=lambda x: x.flip(0),
    cases=[Case(f"n = {n}", {"n": n}, seeds=(0,)) for n in (0, 1, 63, 64, 65, 997)],
    trace_case=Case("n = 300", {"n": 300}, seeds=(0,)),
    ideal_bytes=lambda x: 2 * x.numel() * x.element_size(),
)
