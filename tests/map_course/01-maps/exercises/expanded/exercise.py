"""A row, expanded to a matrix, is added to one."""

from typing import Any

import torch

from tritontui.runner.spec import Case, Exercise


def inputs(case: Case, generator: torch.Generator) -> list[Any]:
    return [torch.randn(10, 32, generator=generator), torch.randn(1, 32, generator=generator).expand(10, 32)]


EXERCISE = Exercise(entry="expanded", inputs=inputs, trace_case=Case("small"))
