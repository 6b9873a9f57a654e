"""Reverse a contiguous vector."""

import torch

from tritontui.runner.spec import EXACT, Case, Exercise

BLOCK = 256
DTYPES = (torch.float16, torch.bfloat16, torch.int32)


def inputs(case: Case, generator: torch.Generator) -> list[torch.Tensor]:
    dtype = case.get("dtype", torch.float32)
    return [(100 * torch.randn(case["n"], generator=generator)).to(dtype)]


EXERCISE = Exercise(
    entry="reverse",
    kernel="reverse_kernel",
    outputs=("out_ptr",),
    inputs=inputs,
    reference=lambda x: x.flip(0),
    cases=[
        *(Case(f"n = {n}", {"n": n}) for n in (0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 997, 1000, 4096)),
        *(Case(f"n = 997, {str(dtype).removeprefix('torch.')}", {"n": 997, "dtype": dtype}) for dtype in DTYPES),
    ],
    trace_case=Case("n = 1000", {"n": 1000}, seeds=(0,)),
    tolerances=dict.fromkeys((torch.float32, *DTYPES), EXACT),
)
