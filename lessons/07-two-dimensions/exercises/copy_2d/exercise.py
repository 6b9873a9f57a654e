"""Copy a matrix into another of the same shape, whatever the strides of the two."""

import torch

from tritontui.runner.spec import EXACT, Case, Exercise

SHAPES = ((0, 5), (1, 1), (16, 32), (17, 33), (64, 96), (37, 251))
VIEWS = ("transposed", "sliced", "every other", "expanded")


def matrix(rows: int, columns: int, view: str, generator: torch.Generator) -> torch.Tensor:
    """Random numbers of that shape, seen through a view."""
    match view:
        case "transposed":
            return torch.randn(columns, rows, generator=generator).t()
        case "sliced":
            return torch.randn(rows + 2, columns + 5, generator=generator)[1 : rows + 1, 2 : columns + 2]
        case "every other":
            return torch.randn(rows, 2 * columns, generator=generator)[:, ::2]
        case "expanded":
            return torch.randn(1, columns, generator=generator).expand(rows, columns)
        case _:
            return torch.randn(rows, columns, generator=generator)


def inputs(case: Case, generator: torch.Generator) -> list[torch.Tensor]:
    rows, columns = case["rows"], case["columns"]
    dtype, device = case.get("dtype", torch.float32), case.get("device", "cpu")
    if device != "cpu":  # the measured case: made where it is used
        x = torch.randn(rows, columns, device=device)
        return [x, torch.empty_like(x)]
    x = matrix(rows, columns, case.get("view", "contiguous"), generator)
    if dtype is not torch.float32:
        x = (10 * x).to(dtype)
    out = matrix(rows, columns, case.get("into", "contiguous"), generator).to(dtype)
    return [x, out]


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
        *(Case(f"from {view}", {"rows": 37, "columns": 50, "view": view}) for view in VIEWS),
        *(Case(f"into {view}", {"rows": 37, "columns": 50, "into": view}) for view in VIEWS[:3]),
        Case("from sliced into transposed", {"rows": 37, "columns": 50, "view": "sliced", "into": "transposed"}),
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
