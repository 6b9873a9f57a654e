"""A flat index over a matrix: blocks go on in the next row."""

from typing import Any

import torch

from tritontui.runner.spec import Case, Exercise


def inputs(case: Case, generator: torch.Generator) -> list[Any]:
    return [torch.randn(9, 30, generator=generator)]


EXERCISE = Exercise(entry="flat_add", inputs=inputs, trace_case=Case("small"))
