"""Two launches of one kernel and one of another; the second kernel writes past its end."""

from typing import Any

import torch

from tritontui.runner.spec import Case, Exercise


def inputs(case: Case, generator: torch.Generator) -> list[Any]:
    return [torch.randn(100, generator=generator)]


EXERCISE = Exercise(entry="two_launches", inputs=inputs, trace_case=Case("small"))
