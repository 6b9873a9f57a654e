"""1 + x + x² + … + x^degree, element by element: as much arithmetic for 8 bytes as one likes."""

import torch

from tritontui.runner.spec import Case, Exercise, Tolerance

CASES = ((0, 3), (1, 0), (1023, 1), (1024, 2), (1025, 7), (997, 32))


def inputs(case: Case, generator: torch.Generator) -> list:
    n, degree = case["n"], case["degree"]
    if (device := case.get("device", "cpu")) != "cpu":  # the measured case: made where it is used
        return [torch.rand(n, device=device), degree]
    return [2 * torch.rand(n, generator=generator) - 1, degree]


def reference(x: torch.Tensor, degree: int) -> torch.Tensor:
    y = torch.ones_like(x)
    for _ in range(degree):
        y = y * x + 1
    return y


EXERCISE = Exercise(
    entry="polynomial",
    kernel="polynomial_kernel",
    outputs=("out_ptr",),
    inputs=inputs,
    reference=reference,
    cases=[Case(f"n = {n}, degree {degree}", {"n": n, "degree": degree}) for n, degree in CASES],
    trace_case=Case("n = 2500, degree 3", {"n": 2500, "degree": 3}),
    measure_case=Case("n = 2²⁷, degree 64", {"n": 1 << 27, "degree": 64}),
    tolerances={
        torch.float32: Tolerance(
            1e-5,
            1e-5,
            "dozens of products and sums in float32, each rounded",
            "decine di prodotti e somme in float32, ognuno arrotondato",
        )
    },
    ideal_bytes=lambda x, degree: 2 * x.numel() * x.element_size(),
    ideal_flops=lambda x, degree: 2 * degree * x.numel(),
)
