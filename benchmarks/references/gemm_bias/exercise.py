"""A product of matrices and a bias, out = a @ b + bias, in float16 with sums in float32."""

import torch

from tritontui.runner.spec import Case, Exercise, Tolerance


def inputs(case, generator):
    m, n, k = case["m"], case["n"], case["k"]
    device = case.get("device", "cpu")
    return [
        torch.randn(*shape, generator=generator, device=device).to(torch.float16) for shape in ((m, k), (k, n), (n,))
    ]


EXERCISE = Exercise(
    entry="gemm_bias",
    inputs=inputs,
    reference=lambda a, b, bias: a @ b + bias,
    cases=[
        Case("one tile", {"m": 128, "n": 256, "k": 64}, seeds=(0,)),
        Case("ragged", {"m": 133, "n": 264, "k": 80}, seeds=(0,)),
    ],
    trace_case=Case("ragged", {"m": 133, "n": 264, "k": 80}, seeds=(0,)),
    measure_case=Case("8192³", {"m": 8192, "n": 8192, "k": 8192}),
    tolerances={torch.float16: Tolerance(2e-3, 1e-2, "sums of thousands of products, then one rounding to float16")},
    baseline=lambda a, b, bias: torch.addmm(bias, a, b),
    ideal_bytes=lambda a, b, bias: 2 * (a.numel() + b.numel() + bias.numel() + a.shape[0] * b.shape[1]),
    ideal_flops=lambda a, b, bias: 2 * a.shape[0] * a.shape[1] * b.shape[1],
    reads_per_write=2.0,
)
