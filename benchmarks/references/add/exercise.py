"""An addition: two bytes read per byte written."""

import torch

from tritontui.runner.spec import Case, Exercise


def inputs(case, generator):
    return [torch.randn(case["n"], generator=generator, device=case.get("device", "cpu")) for _ in range(2)]


EXERCISE = Exercise(
    entry="add",
    inputs=inputs,
    reference=lambda x, y: x + y,
    cases=[Case("n = 1000", {"n": 1000}), Case("n = 4096", {"n": 4096})],
    trace_case=Case("n = 1000", {"n": 1000}),
    measure_case=Case("n = 2^27", {"n": 1 << 27}),
    ideal_bytes=lambda x, y: 3 * x.numel() * x.element_size(),
    reads_per_write=2.0,
)
