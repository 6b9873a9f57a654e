"""A copy of every other column of a wider matrix."""

from typing import Any

import torch

from tritontui.runner.spec import Case, Exercise


def inputs(case: Case, generator: torch.Generator) -> list[Any]:
    return [torch.randn(12, 40, generator=generator)[:, 2:34:2]]


EXERCISE = Exercise(entry="strided_copy", inputs=inputs, trace_case=Case("small"))
