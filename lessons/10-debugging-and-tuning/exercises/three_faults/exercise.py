"""A linear layer with one fault in each layer: a mask, TF32, and accesses and a constant that cost time."""

import torch

from tritontui.runner.spec import Case, Exercise, Tolerance

TOLERANCE = Tolerance(
    1e-5,
    1e-5,
    "a float32 product of up to 256 terms; TF32 would miss it by a hundred times as much",
    "un prodotto in float32 di 256 termini al massimo; TF32 sbaglierebbe cento volte tanto",
)


def inputs(case: Case, generator: torch.Generator) -> list[torch.Tensor]:
    device = case.get("device", "cpu")
    x = torch.randn(case["m"], case["k"], generator=generator, device=device)
    w = torch.randn(case["k"], case["n"], generator=generator, device=device)
    return [x, w]


def least_bytes(x: torch.Tensor, w: torch.Tensor) -> int:
    return int(4 * (x.numel() + w.numel() + x.shape[0] * w.shape[1]))


EXERCISE = Exercise(
    entry="linear",
    kernel="linear_kernel",
    outputs=("out_ptr",),
    inputs=inputs,
    reference=lambda x, w: x @ w,
    cases=[
        *(
            Case(f"{m} × {k} × {n}", {"m": m, "k": k, "n": n}, seeds=(0,))
            for m, k, n in ((16, 64, 128), (1, 1, 1), (20, 24, 100), (33, 40, 17), (50, 256, 15), (7, 5, 130))
        ),
    ],
    trace_case=Case("20 × 24 × 100", {"m": 20, "k": 24, "n": 100}),
    measure_case=Case("4,096 × 512 × 4,096", {"m": 4096, "k": 512, "n": 4096}),
    tolerances={torch.float32: TOLERANCE},
    must_not=("uncoalesced", "recompiles-every-call"),
    ideal_bytes=least_bytes,
    ideal_flops=lambda x, w: 2 * x.numel() * w.shape[1],
)
