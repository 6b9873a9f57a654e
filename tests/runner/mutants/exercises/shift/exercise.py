"""shift: out[i] = x[i - k], and zero where there is no such element."""

import torch

from tritontui.runner.spec import Case, Exercise


def inputs(case: Case, generator: torch.Generator) -> list[torch.Tensor | int]:
    return [torch.randn(case["n"], generator=generator).to(case.get("device", "cpu")), case["k"]]


def shifted(x: torch.Tensor, k: int) -> torch.Tensor:
    out = torch.zeros_like(x)
    out[k:] = x[: max(0, x.numel() - k)]
    return out


EXERCISE = Exercise(
    entry="shift",
    kernel="shift_kernel",
    outputs=("out_ptr",),
    inputs=inputs,
    reference=shifted,
    cases=[
        Case(f"n = {n}, k = {k}", {"n": n, "k": k}, seeds=(0,))
        for n, k in ((1, 0), (1, 1), (128, 3), (300, 7), (997, 128), (500, 600))
    ],
    trace_case=Case("n = 300, k = 5", {"n": 300, "k": 5}, seeds=(0,)),
    ideal_bytes=lambda x, k: 2 * x.numel() * x.element_size(),
)
