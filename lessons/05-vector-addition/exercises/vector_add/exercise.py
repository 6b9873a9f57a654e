"""Vector addition: out = x + y, contiguous vectors of one dtype."""

import torch

from tritontui.runner.spec import Case, Exercise, Tolerance

BLOCK = 256  # the text's: the sizes lie around it; 997, 1,000 and 1,025 are ragged for every power of two above 8


def inputs(case: Case, generator: torch.Generator) -> list[torch.Tensor]:
    device = case.get("device", "cpu")
    dtype = case.get("dtype", torch.float32)
    shape = (case["n"],)
    if device == "cpu":
        return [torch.randn(shape, generator=generator).to(dtype) for _ in range(2)]
    return [torch.randn(shape, device=device, dtype=dtype) for _ in range(2)]


def bytes_moved(x: torch.Tensor, y: torch.Tensor) -> int:
    """Each element of x and y is read once, each of the sum is written once."""
    return 3 * x.numel() * x.element_size()


def additions(x: torch.Tensor, y: torch.Tensor) -> int:
    """One for each element."""
    return x.numel()


def cases() -> list[Case]:
    sizes = (0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 997, 1000, 1025)
    return [
        *(Case(f"n = {n}", {"n": n}) for n in sizes),
        Case("n = 1000000", {"n": 1_000_000}, seeds=(0,)),  # a million numbers are fresh enough in one draw
        *(Case(f"n = {n}, float16", {"n": n, "dtype": torch.float16}) for n in (997, 4096)),
        *(Case(f"n = {n}, bfloat16", {"n": n, "dtype": torch.bfloat16}) for n in (997, 4096)),
    ]


ROUNDED_ONCE = "one addition, rounded once to the nearest number of this dtype"
ROUNDED_ONCE_IT = "una sola somma, arrotondata una volta al numero più vicino di questo dtype"

EXERCISE = Exercise(
    entry="add",
    aliases=("vector_add",),
    outputs=("out_ptr",),
    inputs=inputs,
    reference=lambda x, y: x + y,
    cases=cases(),
    trace_case=Case("n = 1000", {"n": 1000}, seeds=(0,)),
    measure_case=Case("n = 2²⁷", {"n": 2**27}, seeds=(0,)),
    tolerances={
        # half a unit in the last place, relative to the sum, of 24, 11 and 8 significant bits; atol for sums near 0
        torch.float32: Tolerance(2.0**-24, 1e-12, ROUNDED_ONCE, ROUNDED_ONCE_IT),
        torch.float16: Tolerance(2.0**-11, 2.0**-25, ROUNDED_ONCE, ROUNDED_ONCE_IT),
        torch.bfloat16: Tolerance(2.0**-8, 1e-12, ROUNDED_ONCE, ROUNDED_ONCE_IT),
    },
    ideal_bytes=bytes_moved,
    ideal_flops=additions,
    reads_per_write=2.0,
)
