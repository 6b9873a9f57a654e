"""The product of two 32 × 32 matrices by one program."""

import torch

from tritontui.runner.spec import Case, Exercise, Tolerance

TOLERANCE = Tolerance(
    2e-3,
    2e-3,
    "float16 has 11 bits, and 32 products of numbers around 1 are summed",
    "float16 ha 11 bit, e si sommano 32 prodotti di numeri intorno a 1",
)


def inputs(case: Case, generator: torch.Generator) -> list[torch.Tensor]:
    return [torch.randn(32, 32, generator=generator).half() for _ in range(2)]


EXERCISE = Exercise(
    entry="tile_product",
    kernel="tile_kernel",
    outputs=("c_ptr",),
    inputs=inputs,
    reference=lambda a, b: a @ b,
    cases=[Case("32 × 32", seeds=(0, 1, 2))],
    trace_case=Case("32 × 32"),
    tolerances={torch.float16: TOLERANCE},
)
