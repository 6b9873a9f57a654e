"""masked_copy: a copy of a vector whose length is no multiple of the block."""

import torch

from tritontui.runner.spec import Case, Exercise


def inputs(case: Case, generator: torch.Generator) -> list[torch.Tensor]:
    x = torch.randn(case["n"], generator=generator)
    return [x.to(case.get("dtype", torch.float32)).to(case.get("device", "cpu"))]


EXERCISE = Exercise(
    entry="masked_copy",
    kernel="copy_kernel",
    outputs=("out_ptr",),
    inputs=inputs,
    reference=lambda x: x.clone(),
    cases=[
        *(Case(f"n = {n}", {"n": n}, seeds=(0,)) for n in (0, 1, 127, 128, 129, 997)),
        Case("n = 997, float16", {"n": 997, "dtype": torch.float16}, seeds=(0,)),
    ],
    trace_case=Case("n = 500", {"n": 500}, seeds=(0,)),
    ideal_bytes=lambda x: 2 * x.numel() * x.element_size(),
)
