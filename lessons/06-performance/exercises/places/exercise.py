"""What a program takes up on a multiprocessor: a row that stays in registers while its sum is made."""

import torch

from tritontui.runner.spec import Case, Exercise

ROWS = 4
NO_LIMIT = "none"


def inputs(case: Case, generator: torch.Generator) -> list:
    x = torch.rand(ROWS, case["columns"], generator=generator) + 0.5
    return [x, case["warps"], None if case["maxnreg"] == NO_LIMIT else int(case["maxnreg"])]


EXERCISE = Exercise(
    entry="share_out",
    inputs=inputs,
    trace_case=Case("start", {"columns": 4096, "warps": 4, "maxnreg": NO_LIMIT}, seeds=(0,)),
)
