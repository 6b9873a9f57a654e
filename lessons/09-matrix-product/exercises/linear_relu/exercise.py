"""relu(x · w + bias), tiles in groups of two rows, as a network's layer has it; reviewed and repaired, not written."""

from functools import partial

import torch

from tritontui.runner.spec import Case, Exercise, Tolerance, seen_as

TOLERANCE = Tolerance(
    2e-3,
    3e-3,
    "the result is rounded to float16, after sums in float32",
    "il risultato si arrotonda a float16, dopo somme in float32",
)


def inputs(case: Case, generator: torch.Generator) -> list[torch.Tensor]:
    m, n, k = case["M"], case["N"], case["K"]
    if (device := case.get("device", "cpu")) != "cpu":  # the measured case: made where it is used
        drawn = partial(torch.randn, dtype=torch.float16, device=device)
        return [drawn(m, k), drawn(k, n), drawn(n)]
    x = (torch.randn(m, k, generator=generator) / k**0.5).half()
    w = torch.randn(k, n, generator=generator).half()
    bias = case.get("bias", 1.0) * torch.randn(n, generator=generator).half()
    if case.get("positive"):  # long sums of one sign: float16 loses their last terms
        x, w = x.abs(), w.abs()
    return [seen_as(case.get("view_x", "contiguous"), x), seen_as(case.get("view", "contiguous"), w), bias]


EXERCISE = Exercise(
    entry="linear_relu",
    kernel="linear_kernel",
    outputs=("y_ptr",),
    inputs=inputs,
    reference=lambda x, w, bias: torch.relu(x @ w + bias),
    cases=[
        Case("128 × 64 × 64, bias = 0", {"M": 128, "N": 64, "K": 64, "bias": 0.0}, seeds=(0,)),
        Case("128 × 64 × 64", {"M": 128, "N": 64, "K": 64}, seeds=(0,)),
        Case("1 × 64 × 64", {"M": 1, "N": 64, "K": 64}, seeds=(0,)),
        Case("70 × 100 × 64", {"M": 70, "N": 100, "K": 64}, seeds=(0,)),
        Case("64 × 64 × 65", {"M": 64, "N": 64, "K": 65}, seeds=(0,)),
        Case("20 × 30 × 1000, x, w ≥ 0", {"M": 20, "N": 30, "K": 1000, "positive": True}, seeds=(0,)),
        Case(
            "33 × 40 × 50, x transposed",
            {"M": 33, "N": 40, "K": 50, "view_x": "transposed"},
            seeds=(0,),
            it="33 × 40 × 50, x trasposta",
        ),
        Case(
            "64 × 32 × 32, w transposed",
            {"M": 64, "N": 32, "K": 32, "view": "transposed"},
            seeds=(0,),
            it="64 × 32 × 32, w trasposta",
        ),
        Case(
            "33 × 36 × 31, w every other",
            {"M": 33, "N": 36, "K": 31, "view": "every other"},
            seeds=(0,),
            it="33 × 36 × 31, w una colonna sì e una no",
        ),
        Case(
            "150 × 40 × 70, w sliced",
            {"M": 150, "N": 40, "K": 70, "view": "sliced"},
            seeds=(0,),
            it="150 × 40 × 70, w ritagliata",
        ),
    ],
    trace_case=Case(
        "70 × 40 × 50, w transposed", {"M": 70, "N": 40, "K": 50, "view": "transposed"}, it="70 × 40 × 50, w trasposta"
    ),
    measure_case=Case("4096 × 4096 × 4096", {"M": 4096, "N": 4096, "K": 4096}),
    tolerances={torch.float16: TOLERANCE},
    ideal_bytes=lambda x, w, bias: 2 * (x.numel() + w.numel() + x.shape[0] * w.shape[1]),
    ideal_flops=lambda x, w, bias: 2 * x.shape[0] * w.shape[1] * x.shape[1],
    reads_per_write=2.0,
)
