"""A softmax, one row a program."""

from typing import Any

import torch

from tritontui.runner.spec import Case, Exercise


def inputs(case: Case, generator: torch.Generator) -> list[Any]:
    return [torch.randn(24, 100, generator=generator)]


EXERCISE = Exercise(entry="softmax", inputs=inputs, trace_case=Case("small"))
