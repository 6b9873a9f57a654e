"""One program takes the whole vector: its block must have a size that the compiler knows and accepts."""

import torch

from tritontui.runner.spec import EXACT, Case, Exercise

EXERCISE = Exercise(
    entry="twice",
    kernel="twice_kernel",
    outputs=("out_ptr",),
    inputs=lambda case, generator: [torch.randn(case["n"], generator=generator)],
    reference=lambda x: x + x,
    cases=[Case(f"n = {n}", {"n": n}) for n in (0, 1, 2, 7, 256, 1000, 1025, 9000)],
    trace_case=Case("n = 200", {"n": 200}, seeds=(0,)),
    tolerances={torch.float32: EXACT},  # a number added to itself is never rounded
)
