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


def inputs(case: Case, generator: torch.Generator) -> list[torch.Tensor]:
    return [torch.randn(case["rows"], case["columns"], generator=generator, device=case.get("device", "cpu"))]


def choices(examiner: Any, rows: int, columns: int) -> Sequence[Any] | Exception:
    """What the tuner had to choose from; an exception that came up instead."""
    answer = examiner.call(torch.randn(rows, columns, device=examiner.device))
    return answer.error if answer.error is not None else answer.choices


def something_to_compare(examiner: Any) -> Wrong | Exception | None:
    for columns in WIDTHS:
        seen = choices(examiner, 2, columns)
        if isinstance(seen, Exception):
            return seen
        if not seen:
            said = Words(
                "The launch isn't autotuned: nothing was chosen.",
                "Il lancio non passa dall'autotuning: niente è scelto.",
            )
            return Wrong(said, "autotune-invalid-config")
        kept = seen[0].kept
        warps = {config.num_warps for config in kept}
        if not FEWEST <= len(kept) <= MOST or len(warps) < 2:
            shown = ", ".join(map(str, sorted(warps)))
            said = Words(
                f"For rows of {columns}, {len(kept)} configurations are left, with `num_warps` {shown}. "
                f"Wanted are {FEWEST} to {MOST}, with at least two numbers of warps.",
                f"Per righe di {columns} restano {len(kept)} configurazioni, con `num_warps` {shown}. "
                f"Ne servono da {FEWEST} a {MOST}, con almeno due numeri di warp.",
            )
            return Wrong(said, "autotune-invalid-config", int(seen[0].kernel.starting_line_number))
    return None


def one_tuning_for_all_batches(examiner: Any) -> Wrong | Exception | None:
    seen = [choices(examiner, rows, 100) for rows in (3, 4)]
    for one in seen:
        if isinstance(one, Exception):
            return one
    first, second = seen[0][0], seen[1][0]
    if first.place == second.place:
        return None
    said = Words(
        "After a call with 3 rows of 100, one with 4 rows of 100 tunes all over again. How many rows there are "
        "differs at each call, and decides only how many programs have work.",
        "Dopo una chiamata con 3 righe di 100, una con 4 righe di 100 rifà tutto l'autotuning. Il numero di righe "
        "cambia a ogni chiamata, e decide solo quanti programmi hanno lavoro.",
    )
    return Wrong(said, "autotune-key", int(first.kernel.starting_line_number))


EXERCISE = Exercise(
    entry="softmax_",
    kernel="softmax_kernel",
    inputs=inputs,
    reference=lambda x: torch.softmax(x, dim=1),
    written=(0,),
    cases=[
        Case(f"{m} × {n}", {"rows": m, "columns": n}, seeds=(0,))
        for m, n in ((3, 100), (3, 1), (3, 33), (3, 257), (2, 1000), (1, 3000), (1, 4096))
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
    measure_case=Case("65,536 × 1,000", {"rows": 65536, "columns": 1000}),
    sweep=Sweep(sizes={"columns": (50, 100, 250, 500, 1000, 2000, 4000)}),
    tolerances={torch.float32: TOLERANCE},
    must_not=("autotune-key", "autotune-invalid-config"),
    ideal_bytes=lambda x: 2 * x.numel() * x.element_size(),
)
