"""One addition, to be looked at in each of its forms: what the compiler makes of it depends on three numbers."""

import torch

from tritontui.runner.spec import Case, Exercise

DTYPES = {"float16": torch.float16, "float32": torch.float32}


def inputs(case: Case, generator: torch.Generator) -> list[torch.Tensor | int]:
    x, y = (torch.randn(4096, generator=generator).to(DTYPES[case["dtype"]]) for _ in range(2))
    return [x, y, case["BLOCK"], case["warps"]]


EXERCISE = Exercise(
    entry="add",
    kernel="add_kernel",
    inputs=inputs,
    trace_case=Case("start", {"BLOCK": 1024, "warps": 4, "dtype": "float32"}),
)
