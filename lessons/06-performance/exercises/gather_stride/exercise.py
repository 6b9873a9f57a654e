"""Every k-th element of a vector, one after another."""

import torch

from tritontui.runner.spec import EXACT, Case, Exercise

SIZES = ((0, 3), (1, 1), (1, 5), (256, 1), (257, 2), (997, 5), (1000, 8), (4096, 7))


def inputs(case: Case, generator: torch.Generator) -> list:
    n, k = case["n"], case["k"]
    if (device := case.get("device", "cpu")) != "cpu":  # the measured case: made where it is used
        return [torch.randn(n, device=device), k]
    return [(100 * torch.randn(n, generator=generator)).to(case.get("dtype", torch.float32)), k]


EXERCISE = Exercise(
    entry="gather_stride",
    kernel="gather_kernel",
    outputs=("out_ptr",),
    inputs=inputs,
    reference=lambda x, k: x[::k].clone(),
    reference_in_float64=False,
    cases=[
        *(Case(f"n = {n}, k = {k}", {"n": n, "k": k}) for n, k in SIZES),
        Case("n = 997, k = 4, int32", {"n": 997, "k": 4, "dtype": torch.int32}, seeds=(0,)),
        Case("n = 997, k = 4, float16", {"n": 997, "k": 4, "dtype": torch.float16}, seeds=(0,)),
    ],
    trace_case=Case("n = 1000, k = 4", {"n": 1000, "k": 4}),
    measure_case=Case("n = 2²⁷, k = 2", {"n": 1 << 27, "k": 2}),
    tolerances=dict.fromkeys((torch.float16, torch.float32, torch.int32), EXACT),
    ideal_bytes=lambda x, k: 2 * -(-x.numel() // k) * x.element_size(),
)
