"""A copy: one byte read per byte written."""

import torch

from tritontui.runner.spec import EXACT, Case, Exercise


def inputs(case, generator):
    return [torch.randn(case["n"], generator=generator, device=case.get("device", "cpu"))]


EXERCISE = Exercise(
    entry="copy",
    inputs=inputs,
    reference=lambda x: x.clone(),
    reference_in_float64=False,
    cases=[Case("n = 1000", {"n": 1000}), Case("n = 4096", {"n": 4096})],
    trace_case=Case("n = 1000", {"n": 1000}),
    measure_case=Case("n = 2^27", {"n": 1 << 27}),
    tolerances={torch.float32: EXACT},
    ideal_bytes=lambda x: 2 * x.numel() * x.element_size(),
)
