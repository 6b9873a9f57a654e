"""A copy of three axes, a slice a program; the last program goes too far."""

from typing import Any

import torch

from tritontui.runner.spec import Case, Exercise


def inputs(case: Case, generator: torch.Generator) -> list[Any]:
    return [torch.randn(3, 5, 12, generator=generator)]


EXERCISE = Exercise(entry="copy3d", inputs=inputs, trace_case=Case("small"))
