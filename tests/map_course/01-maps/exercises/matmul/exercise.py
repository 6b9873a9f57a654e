"""A matrix product with a loop over K."""

from typing import Any

import torch

from tritontui.runner.spec import Case, Exercise


def inputs(case: Case, generator: torch.Generator) -> list[Any]:
    return [torch.randn(48, 64, generator=generator), torch.randn(64, 40, generator=generator)]


EXERCISE = Exercise(entry="matmul", inputs=inputs, trace_case=Case("small"))
