"""A copy of a vector, of a whole number of blocks: the kernel with which one tries whether a machine works at all."""

import torch

from tritontui.runner.spec import Case, Exercise

BLOCK = 256
"""The starter's; every size is a multiple of it, because masks come two lessons later."""


def inputs(case: Case, generator: torch.Generator) -> list[torch.Tensor]:
    device = case.get("device", "cpu")
    dtype = case.get("dtype", torch.float32)
    if device != "cpu":
        return [torch.randn(case["n"], device=device, dtype=dtype)]
    if dtype.is_floating_point:
        return [torch.randn(case["n"], generator=generator).to(dtype)]
    return [torch.randint(-1000, 1000, (case["n"],), generator=generator, dtype=dtype)]


def bytes_moved(x: torch.Tensor) -> int:
    """Each element is read once and written once."""
    return 2 * x.numel() * x.element_size()


def cases() -> list[Case]:
    return [
        *(Case(f"n = {n}", {"n": n}) for n in (BLOCK, 2 * BLOCK, 7 * BLOCK)),
        Case(f"n = {4096 * BLOCK}", {"n": 4096 * BLOCK}, seeds=(0,)),
        Case(f"n = {3 * BLOCK}, float16", {"n": 3 * BLOCK, "dtype": torch.float16}),
        Case(f"n = {3 * BLOCK}, int64", {"n": 3 * BLOCK, "dtype": torch.int64}),
    ]


EXERCISE = Exercise(
    entry="copy",
    kernel="copy_kernel",
    outputs=("out_ptr",),
    inputs=inputs,
    reference=lambda x: x.clone(),
    cases=cases(),
    trace_case=Case("n = 1024", {"n": 4 * BLOCK}, seeds=(0,)),
    measure_case=Case("n = 2²⁷", {"n": 2**27}, seeds=(0,)),
    ideal_bytes=bytes_moved,
)
