"""A tensor of 4 rows and 6 columns on its way into a kernel: what the host knows of it, and what arrives.

Element i holds i, so that a block shows from where in memory it came.
"""

import torch

from tritontui.runner.spec import Case, Exercise

ROWS, COLUMNS = 4, 6


def inputs(case: Case, generator: torch.Generator) -> list[torch.Tensor | str]:
    return [torch.arange(ROWS * COLUMNS, dtype=torch.float32).reshape(ROWS, COLUMNS), case["view"]]


EXERCISE = Exercise(
    entry="look",
    kernel="look_kernel",
    inputs=inputs,
    trace_case=Case("start", {"view": "x"}),
)
