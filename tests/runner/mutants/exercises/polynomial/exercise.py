"""polynomial: 3 x³ - 2 x² + x / 2 + 1, element by element."""

import torch

from tritontui.runner.spec import Case, Exercise, Tolerance


def inputs(case: Case, generator: torch.Generator) -> list[torch.Tensor]:
    x = torch.randn(case["n"], generator=generator)
    return [x.to(case.get("dtype", torch.float32)).to(case.get("device", "cpu"))]


EXERCISE = Exercise(
    entry="polynomial",
    kernel="polynomial_kernel",
    outputs=("out_ptr",),
    inputs=inputs,
    reference=lambda x: 3 * x**3 - 2 * x**2 + x / 2 + 1,
    cases=[
        *(Case(f"n = {n}", {"n": n}, seeds=(0,)) for n in (0, 1, 128, 129, 997)),
        Case("n = 997, float16", {"n": 997, "dtype": torch.float16}, seeds=(0,)),
    ],
    trace_case=Case("n = 300", {"n": 300}, seeds=(0,)),
    tolerances={torch.float32: Tolerance(1e-5, 1e-5, "three products and sums in float32, some of which cancel")},
    ideal_bytes=lambda x: 2 * x.numel() * x.element_size(),
    ideal_flops=lambda x: 6 * x.numel(),
)
