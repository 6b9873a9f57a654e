"""A kernel whose mask is right for one block and wrong from the second on."""

import torch

from tritontui.runner.spec import Case, Exercise, Tolerance

BLOCK = 256


def inputs(case: Case, generator: torch.Generator) -> list:
    return [torch.randn(case["n"], generator=generator), case.get("factor", 3.0)]


ONCE = Tolerance(
    2.0**-23, 1e-12, "one product, rounded once to float32", "un solo prodotto, arrotondato una volta a float32"
)

EXERCISE = Exercise(
    entry="scale",
    kernel="scale_kernel",
    outputs=("out_ptr",),
    inputs=inputs,
    reference=lambda x, factor: x * factor,
    cases=[
        *(Case(f"n = {n}", {"n": n}) for n in (0, 1, 200, BLOCK, BLOCK + 1, 997, 4 * BLOCK)),
        Case("n = 1000, factor = 0.5", {"n": 1000, "factor": 0.5}),
    ],
    trace_case=Case("n = 1000", {"n": 1000}, seeds=(0,)),
    tolerances={torch.float32: ONCE},
)
