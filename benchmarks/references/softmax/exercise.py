"""Softmax of rows, each read and written once."""

import torch

from tritontui.runner.spec import Case, Exercise, Tolerance


def inputs(case, generator):
    return [torch.randn(case["rows"], case["columns"], generator=generator, device=case.get("device", "cpu"))]


EXERCISE = Exercise(
    entry="softmax",
    inputs=inputs,
    reference=lambda x: torch.softmax(x, dim=1),
    cases=[Case("ragged", {"rows": 37, "columns": 781})],
    trace_case=Case("small", {"rows": 4, "columns": 50}),
    measure_case=Case("8192 × 8192", {"rows": 8192, "columns": 8192}),
    tolerances={torch.float32: Tolerance(1e-5, 1e-7, "a sum of thousands of exponentials")},
    ideal_bytes=lambda x: 2 * x.numel() * x.element_size(),
)
