"""The sum of each column, one program a row; repaired, not written."""

import torch

from tritontui.runner.spec import Case, Exercise, Tolerance


def inputs(case: Case, generator: torch.Generator) -> list[torch.Tensor]:
    return [torch.rand(case["rows"], case["columns"], generator=generator) + 0.5]


EXERCISE = Exercise(
    entry="column_sum",
    kernel="column_kernel",
    outputs=("out_ptr",),
    inputs=inputs,
    reference=lambda x: x.sum(dim=0),
    cases=[
        Case(f"{m} × {n}", {"rows": m, "columns": n}, seeds=(0,))
        for m, n in ((1, 1), (1, 50), (2, 32), (7, 65), (300, 20))
    ],
    trace_case=Case("5 × 50", {"rows": 5, "columns": 50}),
    tolerances={
        torch.float32: Tolerance(
            1e-5,
            1e-5,
            "hundreds of additions in float32, in an order that nobody promises",
            "centinaia di somme in float32, in un ordine che nessuno promette",
        )
    },
)
