"""A softmax in place whose block and warps a tuner chooses: every config that it may choose is judged."""

from collections.abc import Sequence
from typing import Any

import torch

from tritontui.runner.spec import Case, Exercise, Sweep, Tolerance, Trial, Words, Wrong

TOLERANCE = Tolerance(
    1e-5,
    1e-7,
    "an exponential and a sum of thousands of numbers, in float32",
    "un esponenziale e una somma di migliaia di numeri, in float32",
)
WIDTHS = (1, 100, 257, 1000, 4096)
FEWEST, MOST = 2, 8
"""Configs that are worth comparing for one width."""
SMALLEST_BLOCK, LARGEST_SHARE = 64, 4
"""A block may be as large as the first, or as the second says times the row."""


def inputs(case: Case, generator: torch.Generator) -> list[torch.Tensor]:
    shape = case["rows"], case["columns"]
    return [case.get("scale", 1.0) * torch.randn(shape, generator=generator, device=case.get("device", "cpu"))]


def tried(examiner: Any, rows: int, columns: int) -> Any:
    """The answer of one call, with what the tuner had to choose from."""
    return examiner.call(torch.randn(rows, columns, device=examiner.device))


def too_many_or_few(columns: int, kept: Sequence[Any]) -> Words | None:
    warps = sorted({config.num_warps for config in kept})
    if FEWEST <= len(kept) <= MOST and len(warps) > 1:
        return None
    shown = ", ".join(map(str, warps))
    return Words(
        f"For rows of {columns}, {len(kept)} configurations are left, with `num_warps` {shown}. "
        f"Wanted are {FEWEST} to {MOST}, with at least two numbers of warps.",
        f"Per righe di {columns} restano {len(kept)} configurazioni, con `num_warps` {shown}. "
        f"Ne servono da {FEWEST} a {MOST}, con almeno due numeri di warp.",
    )


def too_wide(columns: int, blocks: Sequence[int]) -> Words | None:
    widest = max(blocks)
    if widest <= max(SMALLEST_BLOCK, LARGEST_SHARE * columns):
        return None
    return Words(
        f"For rows of {columns} a block of {widest} is left: more than {LARGEST_SHARE} times the row, and nearly all "
        "of its lanes have nothing to do.",
        f"Per righe di {columns} resta un blocco di {widest}: più di {LARGEST_SHARE} volte la riga, e quasi tutte le "
        "sue lane non hanno niente da fare.",
    )


def something_to_compare(examiner: Any) -> Wrong | Exception | None:
    for columns in WIDTHS:
        answer = tried(examiner, 2, columns)
        if answer.error is not None:
            return answer.error
        if not answer.choices:
            said = Words(
                "The launch isn't autotuned: nothing was chosen.",
                "Il lancio non passa dall'autotuning: niente è scelto.",
            )
            return Wrong(said, "autotune-invalid-config")
        kept, launch = answer.choices[0].kept, answer.launches[0]
        blocks = [config.kwargs.get("BLOCK", launch.arguments["BLOCK"]) for config in kept]
        wrong = too_many_or_few(columns, kept) or too_wide(columns, blocks)
        if wrong is not None:
            return Wrong(wrong, "autotune-invalid-config", int(answer.choices[0].kernel.starting_line_number))
    return None


def one_tuning_for_all_batches(examiner: Any) -> Wrong | Exception | None:
    three, four = tried(examiner, 3, 100), tried(examiner, 4, 100)
    if (error := three.error or four.error) is not None:
        return error
    if not three.choices or three.choices[0].place == four.choices[0].place:
        return None
    said = Words(
        "After a call with 3 rows of 100, one with 4 rows of 100 tunes all over again. How many rows there are "
        "differs at each call, and decides only how many programs have work.",
        "Dopo una chiamata con 3 righe di 100, una con 4 righe di 100 rifà tutto l'autotuning. Il numero di righe "
        "cambia a ogni chiamata, e decide solo quanti programmi hanno lavoro.",
    )
    return Wrong(said, "autotune-key", int(three.choices[0].kernel.starting_line_number))


EXERCISE = Exercise(
    entry="softmax_",
    kernel="softmax_kernel",
    inputs=inputs,
    reference=lambda x: torch.softmax(x, dim=1),
    written=(0,),
    cases=[
        *(
            Case(f"{m} × {n}", {"rows": m, "columns": n}, seeds=(0,))
            for m, n in ((3, 100), (3, 1), (3, 33), (3, 257), (2, 1000), (1, 3000), (1, 4096))
        ),
        Case("3 × 100, x ≈ ±300", {"rows": 3, "columns": 100, "scale": 300.0}, seeds=(0,)),
    ],
    trials=[
        Trial(
            Words("a few configurations for every width", "poche configurazioni per ogni larghezza"),
            something_to_compare,
        ),
        Trial(
            Words("another number of rows at each call", "un altro numero di righe a ogni chiamata"),
            one_tuning_for_all_batches,
        ),
    ],
    trials_in_lockstep=True,
    trace_case=Case("3 × 100", {"rows": 3, "columns": 100}),
    measure_case=Case("131,072 × 1,000", {"rows": 131072, "columns": 1000}),
    sweep=Sweep(sizes={"columns": (50, 100, 250, 500, 1000, 2000, 4000)}),
    tolerances={torch.float32: TOLERANCE},
    must_not=("autotune-key", "autotune-invalid-config"),
    ideal_bytes=lambda x: 2 * x.numel() * x.element_size(),
)
