"""Copy a matrix into another of the same shape, whatever the strides of the two."""

import torch

from tritontui.runner.spec import EXACT, Case, Exercise, in_each_view, seen_as

INTO = ("transposed", "sliced", "every other")
SHAPES = ((0, 5), (1, 1), (16, 32), (17, 33), (64, 96), (37, 251))


def inputs(case: Case, generator: torch.Generator) -> list[torch.Tensor]:
    rows, columns = case["rows"], case["columns"]
    dtype, device = case.get("dtype", torch.float32), case.get("device", "cpu")
    if device != "cpu":  # the measured case: made where it is used
        x = torch.randn(rows, columns, device=device)
        return [x, torch.empty_like(x)]
    x = (10 * torch.randn(rows, columns, generator=generator)).to(dtype)
    out = torch.zeros(rows, columns, dtype=dtype)
    return [seen_as(case.get("view", "contiguous"), x), seen_as(case.get("into", "contiguous"), out)]


def reference(x: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    return x.contiguous()


EXERCISE = Exercise(
    entry="copy_2d",
    kernel="copy_kernel",
    outputs=("out_ptr",),
    written=(1,),
    inputs=inputs,
    reference=reference,
    reference_in_float64=False,
    cases=[
        *(Case(f"{m} × {n}", {"rows": m, "columns": n}, seeds=(0,)) for m, n in SHAPES),
        *in_each_view("37 × 50, from {view}", {"rows": 37, "columns": 50}, it="37 × 50, da {view}"),
        *in_each_view("37 × 50, into {view}", {"rows": 37, "columns": 50}, INTO, key="into", it="37 × 50, in {view}"),
        Case(
            "from sliced into transposed",
            {"rows": 37, "columns": 50, "view": "sliced", "into": "transposed"},
            it="da ritagliata in trasposta",
        ),
        Case("int32", {"rows": 37, "columns": 50, "view": "transposed", "dtype": torch.int32}, seeds=(0,)),
    ],
    trace_case=Case(
        "20 × 50, from transposed into sliced", {"rows": 20, "columns": 50, "view": "transposed", "into": "sliced"}
    ),
    measure_case=Case("8192 × 8192", {"rows": 8192, "columns": 8192}),
    tolerances=dict.fromkeys((torch.float32, torch.int32), EXACT),
    baseline=lambda x, out: out.copy_(x),
    ideal_bytes=lambda x, out: 2 * x.numel() * x.element_size(),
)
