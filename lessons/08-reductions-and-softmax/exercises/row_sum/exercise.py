"""The sum of each row of a matrix, in float32."""

import torch

from tritontui.runner.spec import Case, Exercise, Tolerance, in_each_view, seen_as

SHAPES = ((0, 5), (1, 1), (4, 64), (7, 65), (13, 500), (3, 1025))


def inputs(case: Case, generator: torch.Generator) -> list[torch.Tensor]:
    rows, columns = case["rows"], case["columns"]
    if (device := case.get("device", "cpu")) != "cpu":  # the measured case: made where it is used
        return [torch.rand(rows, columns, device=device)]
    x = torch.rand(rows, columns, generator=generator) + 0.5  # no cancelling: a dropped element shows
    return [seen_as(case.get("view", "contiguous"), x.to(case.get("dtype", torch.float32)))]


EXERCISE = Exercise(
    entry="row_sum",
    kernel="sum_kernel",
    outputs=("out_ptr",),
    inputs=inputs,
    reference=lambda x: x.sum(dim=1),
    cases=[
        *(Case(f"{m} × {n}", {"rows": m, "columns": n}, seeds=(0,)) for m, n in SHAPES),
        *in_each_view("7 × 50", {"rows": 7, "columns": 50}, seeds=(0,)),
    ],
    trace_case=Case("5 × 50, transposed", {"rows": 5, "columns": 50, "view": "transposed"}, it="5 × 50, trasposta"),
    measure_case=Case("8192 × 8192", {"rows": 8192, "columns": 8192}),
    tolerances={
        torch.float32: Tolerance(
            1e-5, 1e-5, "a thousand additions in float32, each rounded", "mille somme in float32, ognuna arrotondata"
        )
    },
    must_not=("masked-load-without-other",),  # 0 by accident on the cards of today: half of the lesson
    ideal_bytes=lambda x: x.numel() * x.element_size() + 4 * x.shape[0],
    ideal_flops=lambda x: x.numel(),
    reads_per_write=float("inf"),
)
