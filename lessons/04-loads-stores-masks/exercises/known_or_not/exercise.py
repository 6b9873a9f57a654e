"""One computation twice: with what it depends on as ordinary arguments, and as constants of the compilation."""

import torch

from tritontui.runner.spec import Case, Exercise


def inputs(case: Case, generator: torch.Generator) -> list:
    x = torch.randn(1000, generator=generator)
    return [x, case["kernel"], case["twice"] == "yes", case["steps"]]


EXERCISE = Exercise(
    entry="climb",
    inputs=inputs,
    trace_case=Case("start", {"kernel": "run_time", "twice": "no", "steps": 2}, seeds=(0,)),
)
