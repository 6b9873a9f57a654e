"""out = -x, judged cold."""

import torch

from tritontui.runner.spec import EXACT, Case, Exercise

EXERCISE = Exercise(
    entry="negate",
    kernel="negate_kernel",
    outputs=("out_ptr",),
    inputs=lambda case, generator: [torch.randn(case["n"], generator=generator)],
    reference=lambda x: -x,
    cases=[Case(f"n = {n}", {"n": n}) for n in (1, 64, 100)],
    trace_case=Case("n = 100", {"n": 100}, seeds=(0,)),
    tolerances={torch.float32: EXACT},
)
