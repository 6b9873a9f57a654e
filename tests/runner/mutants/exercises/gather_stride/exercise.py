"""gather_stride: every k-th element of a vector."""

import torch

from tritontui.runner.spec import Case, Exercise


def inputs(case: Case, generator: torch.Generator) -> list[torch.Tensor | int]:
    return [torch.randn(case["n"], generator=generator).to(case.get("device", "cpu")), case["k"]]


EXERCISE = Exercise(
    entry="gather_stride",
    kernel="gather_kernel",
    outputs=("out_ptr",),
    inputs=inputs,
    reference=lambda x, k: x[::k].clone(),
    cases=[
        Case(f"n = {n}, k = {k}", {"n": n, "k": k}, seeds=(0,))
        for n, k in ((1, 1), (64, 1), (500, 2), (997, 5), (1000, 8))
    ],
    trace_case=Case("n = 500, k = 3", {"n": 500, "k": 3}, seeds=(0,)),
    ideal_bytes=lambda x, k: 2 * (x.numel() // k) * x.element_size(),
)
