"""One line fused: out = relu(a·x + b), where a and b are numbers."""

import torch

from tritontui.runner.spec import Case, Exercise, Tolerance

A, B = 1.5, -0.25
"""Both exact in float32, so that the reference in float64 starts from the same numbers."""


def inputs(case: Case, generator: torch.Generator) -> list[torch.Tensor | float]:
    device = case.get("device", "cpu")
    dtype = case.get("dtype", torch.float32)
    numbers = [case.get("a", A), case.get("b", B)]
    if device == "cpu":
        return [torch.randn(case["n"], generator=generator).to(dtype), *numbers]
    return [torch.randn(case["n"], device=device, dtype=dtype), *numbers]


def reference(x: torch.Tensor, a: float, b: float) -> torch.Tensor:
    """Also PyTorch's own way beside the measurement: three operators, each with a kernel of its own."""
    return torch.relu(a * x + b)


def bytes_moved(x: torch.Tensor, a: float, b: float) -> int:
    """Each element of x is read once, each of the result is written once."""
    return 2 * x.numel() * x.element_size()


def arithmetic(x: torch.Tensor, a: float, b: float) -> int:
    """A product, a sum and a comparison for each element."""
    return 3 * x.numel()


def cases() -> list[Case]:
    return [
        *(Case(f"n = {n}", {"n": n}) for n in (1, 1023, 1024, 1025, 2003)),
        Case("n = 1025, a = -2, b = 0.5", {"n": 1025, "a": -2.0, "b": 0.5}),
        Case("n = 1025, b = -100", {"n": 1025, "b": -100.0}),  # every result is 0
        Case("n = 1000000", {"n": 1_000_000}, seeds=(0,)),
        Case("n = 2003, float16", {"n": 2003, "dtype": torch.float16}),
    ]


ROUNDED_TWICE = "one product and one sum, each rounded once; where they nearly cancel, the product's rounding is left"
ROUNDED_TWICE_IT = (
    "un prodotto e una somma, arrotondati una volta ciascuno; dove quasi si annullano resta l'errore del prodotto"
)

EXERCISE = Exercise(
    entry="fuse_relu",
    kernel="line_kernel",
    outputs=("out_ptr",),
    inputs=inputs,
    reference=reference,
    cases=cases(),
    trace_case=Case("n = 2003", {"n": 2003}, seeds=(0,)),
    measure_case=Case("n = 2²⁷", {"n": 2**27}, seeds=(0,)),
    tolerances={
        # a unit in the last place of 24 and 11 significant bits; atol: half a unit of products up to 16
        torch.float32: Tolerance(2.0**-23, 2.0**-20, ROUNDED_TWICE, ROUNDED_TWICE_IT),
        torch.float16: Tolerance(2.0**-10, 2.0**-20, ROUNDED_TWICE, ROUNDED_TWICE_IT),
    },
    ideal_bytes=bytes_moved,
    ideal_flops=arithmetic,
)
