"""C = A · B whose sums are kept in float16; repaired, not written."""

from functools import partial

import torch

from tritontui.runner.spec import Case, Exercise, Tolerance, seen_as

TOLERANCE = Tolerance(
    2e-3,
    2e-3,
    "the result is rounded to float16, after sums in float32",
    "il risultato si arrotonda a float16, dopo somme in float32",
)
SHAPES = ((32, 32, 32), (33, 65, 64), (32, 40, 256), (32, 32, 2048))


def inputs(case: Case, generator: torch.Generator) -> list[torch.Tensor]:
    m, n, k = case["M"], case["N"], case["K"]
    if (device := case.get("device", "cpu")) != "cpu":  # the measured case: made where it is used
        drawn = partial(torch.randn, dtype=torch.float16, device=device)
        return [drawn(m, k), drawn(k, n)]
    a, b = (torch.randn(*shape, generator=generator).half() for shape in ((m, k), (k, n)))
    if case.get("positive"):
        a, b = a.abs(), b.abs()
    view = case.get("view", "contiguous")
    return [seen_as(view, a), seen_as(view, b)]


EXERCISE = Exercise(
    entry="matmul",
    kernel="matmul_kernel",
    outputs=("c_ptr",),
    inputs=inputs,
    reference=lambda a, b: a @ b,
    cases=[
        *(Case(f"{m} × {n} × {k}", {"M": m, "N": n, "K": k}, seeds=(0,)) for m, n, k in SHAPES),
        Case("20 × 40 × 65", {"M": 20, "N": 40, "K": 65}, seeds=(0,)),
        Case(
            "20 × 40 × 33, both transposed",
            {"M": 20, "N": 40, "K": 33, "view": "transposed"},
            seeds=(0,),
            it="20 × 40 × 33, tutte e due trasposte",
        ),
        Case("32 × 32 × 4096, a, b ≥ 0", {"M": 32, "N": 32, "K": 4096, "positive": True}, seeds=(0,)),
    ],
    trace_case=Case("40 × 70 × 256", {"M": 40, "N": 70, "K": 256}),
    measure_case=Case("4096 × 4096 × 4096", {"M": 4096, "N": 4096, "K": 4096}),
    tolerances={torch.float16: TOLERANCE},
    ideal_bytes=lambda a, b: 2 * (a.numel() + b.numel() + a.shape[0] * b.shape[1]),
    ideal_flops=lambda a, b: 2 * a.shape[0] * b.shape[1] * a.shape[1],
    reads_per_write=2.0,
)
