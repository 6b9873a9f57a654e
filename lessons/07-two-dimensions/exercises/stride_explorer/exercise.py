"""A matrix seen through four views, read tile by tile: the same kernel, other strides."""

import torch

from tritontui.runner.spec import Case, Exercise


def inputs(case: Case, generator: torch.Generator) -> list[torch.Tensor]:
    rows, columns = case["rows"], case["columns"]
    match case["view"]:
        case "transposed":
            x = torch.randn(columns, rows, generator=generator).t()
        case "sliced":
            x = torch.randn(rows + 2, columns + 5, generator=generator)[1 : rows + 1, 2 : columns + 2]
        case "expanded":
            x = torch.randn(1, columns, generator=generator).expand(rows, columns)
        case _:
            x = torch.randn(rows, columns, generator=generator)
    return [x]


EXERCISE = Exercise(
    entry="read",
    inputs=inputs,
    trace_case=Case("start", {"view": "contiguous", "rows": 8, "columns": 20}, seeds=(0,)),
)
