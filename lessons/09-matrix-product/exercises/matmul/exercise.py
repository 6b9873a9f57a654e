"""C = A · B of any shapes and layouts, float16, summed in float32."""

from functools import partial

import torch

from tritontui.runner.spec import Case, Exercise, Sweep, Tolerance, in_each_view, seen_as

TOLERANCE = Tolerance(
    2e-3,
    2e-3,
    "the result is rounded to float16, after sums in float32",
    "il risultato si arrotonda a float16, dopo somme in float32",
)
SHAPES = ((32, 32, 32), (1, 1, 1), (33, 65, 31), (64, 96, 100), (20, 200, 70))
VIEWS = ("transposed", "sliced", "every other")


def inputs(case: Case, generator: torch.Generator) -> list[torch.Tensor]:
    m, n, k = case["M"], case["N"], case["K"]
    if (device := case.get("device", "cpu")) != "cpu":  # the measured case: made where it is used
        drawn = partial(torch.randn, dtype=torch.float16, device=device)
        return [drawn(m, k), drawn(k, n)]
    a = (torch.randn(m, k, generator=generator) / k**0.5).half()
    b = torch.randn(k, n, generator=generator).half()
    if case.get("positive"):  # long sums of one sign: float16 loses their last terms
        a, b = a.abs(), b.abs()
    return [seen_as(case.get("view", "contiguous"), a), seen_as(case.get("view_b", "contiguous"), b)]


EXERCISE = Exercise(
    entry="matmul",
    kernel="matmul_kernel",
    outputs=("c_ptr",),
    inputs=inputs,
    reference=lambda a, b: a @ b,
    cases=[
        *(Case(f"{m} × {n} × {k}", {"M": m, "N": n, "K": k}, seeds=(0,)) for m, n, k in SHAPES),
        Case("20 × 30 × 1000, a, b ≥ 0", {"M": 20, "N": 30, "K": 1000, "positive": True}, seeds=(0,)),
        *in_each_view("40 × 50 × 60, A {view}", {"M": 40, "N": 50, "K": 60}, VIEWS, seeds=(0,)),
        *in_each_view("40 × 50 × 60, B {view}", {"M": 40, "N": 50, "K": 60}, VIEWS, key="view_b", seeds=(0,)),
    ],
    trace_case=Case(
        "40 × 70 × 50, B transposed",
        {"M": 40, "N": 70, "K": 50, "view_b": "transposed"},
        it="40 × 70 × 50, B trasposta",
    ),
    measure_case=Case("4096 × 4096 × 4096", {"M": 4096, "N": 4096, "K": 4096}),
    sweep=Sweep(launch={"BM": (32, 64, 128), "BN": (32, 64, 128, 256)}),
    tolerances={torch.float16: TOLERANCE},
    must_not=("masked-load-without-other",),  # 0 by accident on the cards of today
    ideal_bytes=lambda a, b: 2 * (a.numel() + b.numel() + a.shape[0] * b.shape[1]),
    ideal_flops=lambda a, b: 2 * a.shape[0] * b.shape[1] * a.shape[1],
    reads_per_write=2.0,
)
