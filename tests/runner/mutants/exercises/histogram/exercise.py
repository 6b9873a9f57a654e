"""histogram: how often each of 16 values occurs."""

import torch

from tritontui.runner.spec import Case, Exercise


def inputs(case: Case, generator: torch.Generator) -> list[torch.Tensor]:
    return [torch.randint(0, 16, (case["n"],), generator=generator, dtype=torch.int32).to(case.get("device", "cpu"))]


EXERCISE = Exercise(
    entry="histogram",
    kernel="histogram_kernel",
    inputs=inputs,
    reference=lambda x: torch.bincount(x, minlength=16).to(torch.int32),
    cases=[Case(f"n = {n}", {"n": n}, seeds=(0,)) for n in (1, 64, 65, 500)],
    trace_case=Case("n = 200", {"n": 200}, seeds=(0,)),
    allowed_host_calls=("zeros",),
    ideal_bytes=lambda x: x.numel() * x.element_size(),
)
