"""A transposition in tiles of 16 × 64."""

import torch

from tritontui.runner.spec import EXACT, Case, Exercise


def inputs(case, generator):
    return [torch.randn(case["rows"], case["columns"], generator=generator, device=case.get("device", "cpu"))]


EXERCISE = Exercise(
    entry="transpose",
    inputs=inputs,
    reference=lambda x: x.t().contiguous(),
    reference_in_float64=False,
    cases=[Case("ragged", {"rows": 37, "columns": 781})],
    trace_case=Case("small", {"rows": 20, "columns": 50}),
    measure_case=Case("16384 × 16384", {"rows": 16384, "columns": 16384}),
    tolerances={torch.float32: EXACT},
    ideal_bytes=lambda x: 2 * x.numel() * x.element_size(),
)
