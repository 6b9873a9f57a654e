"""matmul_bias: a product of matrices with a bias added in the epilogue."""

import torch

from tritontui.runner.spec import Case, Exercise, Tolerance


def inputs(case: Case, generator: torch.Generator) -> list[torch.Tensor]:
    m, n, k = case["m"], case["n"], case["k"]
    device, dtype = case.get("device", "cpu"), case.get("dtype", torch.float32)
    a = torch.randn(m, k, generator=generator).to(device, dtype)
    b = torch.randn(k, n, generator=generator).to(device, dtype)
    bias = 3.0 + torch.randn(n, generator=generator).to(device, dtype)
    if case.get("transposed") == "a":
        a = a.t().contiguous().t()
    elif case.get("transposed") == "b":
        b = b.t().contiguous().t()
    return [a, b, bias]


EXERCISE = Exercise(
    entry="matmul_bias",
    kernel="matmul_kernel",
    outputs=("c_ptr",),
    inputs=inputs,
    reference=lambda a, b, bias: a @ b + bias,
    cases=[
        *(
            Case(f"{m} × {n} × {k}", {"m": m, "n": n, "k": k}, seeds=(0,))
            for m, n, k in ((16, 16, 16), (32, 64, 48), (37, 50, 41))
        ),
        Case("a transposed", {"m": 20, "n": 50, "k": 33, "transposed": "a"}, seeds=(0,)),
        Case("b transposed", {"m": 20, "n": 50, "k": 33, "transposed": "b"}, seeds=(0,)),
        Case("float16", {"m": 37, "n": 50, "k": 41, "dtype": torch.float16}, seeds=(0,)),
    ],
    trace_case=Case("20 × 40 × 36", {"m": 20, "n": 40, "k": 36}, seeds=(0,)),
    tolerances={
        torch.float32: Tolerance(1e-4, 1e-4, "some fifty products in float32"),
        torch.float16: Tolerance(5e-3, 5e-3, "summed in float32, rounded once to float16"),
    },
    ideal_bytes=lambda a, b, bias: (a.numel() + b.numel() + a.shape[0] * b.shape[1]) * a.element_size(),
    ideal_flops=lambda a, b, bias: 2 * a.numel() * b.shape[1],
)
