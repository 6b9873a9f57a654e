"""A transpose in tiles of 16 × 16."""

from typing import Any

import torch

from tritontui.runner.spec import Case, Exercise


def inputs(case: Case, generator: torch.Generator) -> list[Any]:
    return [torch.randn(40, 70, generator=generator)]


EXERCISE = Exercise(entry="transpose", inputs=inputs, trace_case=Case("small"))
