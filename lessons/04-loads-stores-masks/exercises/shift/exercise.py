"""Shift a vector to the right by k; the first k elements become ``fill``."""

import torch

from tritontui.runner.spec import EXACT, Case, Exercise

SHIFTS = ((0, 3), (1, 0), (1, 1), (255, 5), (256, 1), (257, 0), (257, 300), (997, 256), (1000, 1000), (4096, 2))
DTYPES = (torch.float16, torch.int32)


def inputs(case: Case, generator: torch.Generator) -> list:
    dtype = case.get("dtype", torch.float32)
    return [(100 * torch.randn(case["n"], generator=generator)).to(dtype), case["k"], case.get("fill", -1.0)]


def reference(x: torch.Tensor, k: int, fill: float) -> torch.Tensor:
    out = torch.full_like(x, fill)
    n = x.numel()
    if k < n:
        out[k:] = x[: n - k]
    return out


EXERCISE = Exercise(
    entry="shift",
    kernel="shift_kernel",
    outputs=("out_ptr",),
    inputs=inputs,
    reference=reference,
    cases=[
        *(Case(f"n = {n}, k = {k}", {"n": n, "k": k}) for n, k in SHIFTS),
        Case("n = 1000, k = 5, fill = 7", {"n": 1000, "k": 5, "fill": 7.0}, seeds=(0,)),
        Case("n = 997, k = 5, float16", {"n": 997, "k": 5, "dtype": torch.float16}, seeds=(0,)),
        Case("n = 997, k = 5, int32", {"n": 997, "k": 5, "dtype": torch.int32, "fill": -1}, seeds=(0,)),
    ],
    trace_case=Case("n = 1000, k = 5", {"n": 1000, "k": 5}, seeds=(0,)),
    tolerances=dict.fromkeys((torch.float32, *DTYPES), EXACT),
)
