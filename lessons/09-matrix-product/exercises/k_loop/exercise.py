"""A 32 × K matrix times a K × 32 matrix, by one program that walks along K."""

import torch

from tritontui.runner.spec import Case, Exercise, Tolerance

TOLERANCE = Tolerance(
    2e-3,
    4e-3,
    "float16 has 11 bits, and some hundreds of products are summed in float32",
    "float16 ha 11 bit, e si sommano in float32 alcune centinaia di prodotti",
)


def inputs(case: Case, generator: torch.Generator) -> list[torch.Tensor]:
    k = case["K"]
    a = torch.randn(32, k, generator=generator) / max(k, 1) ** 0.5
    b = torch.randn(k, 32, generator=generator)
    if case.get("positive"):  # a long sum of one sign: float16 loses its last terms
        a, b = a.abs(), b.abs()
    return [a.half(), b.half()]


EXERCISE = Exercise(
    entry="narrow_product",
    kernel="walk_kernel",
    outputs=("c_ptr",),
    inputs=inputs,
    reference=lambda a, b: a @ b,
    cases=[
        *(Case(f"K = {k}", {"K": k}) for k in (1, 16, 31, 32, 33, 64, 300)),
        Case("K = 1000, a, b ≥ 0", {"K": 1000, "positive": True}, seeds=(0,)),
    ],
    trace_case=Case("K = 70", {"K": 70}),
    must_not=("masked-load-without-other",),  # 0 by accident on the cards of today
    tolerances={torch.float16: TOLERANCE},
)
