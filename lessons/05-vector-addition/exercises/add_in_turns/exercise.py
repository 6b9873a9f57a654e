"""Vector addition by a fixed number of programs that take blocks of 64 in turns."""

import torch

from tritontui.runner.spec import Case, Exercise, Tolerance, Trial, Words, Wrong

BLOCK = 64
SIZES = ((0, 3), (1, 1), (1, 8), (63, 3), (64, 3), (65, 3), (997, 1), (997, 8), (1000, 3), (10_000, 7))


def inputs(case: Case, generator: torch.Generator) -> list:
    dtype = case.get("dtype", torch.float32)
    return [*(torch.randn(case["n"], generator=generator).to(dtype) for _ in range(2)), case["programs"]]


def turns(examiner):
    """Block b, elements 64·b … 64·b + 63, is program b mod 3's."""
    n, programs = 1000, 3
    x, y = (torch.randn(n, device=examiner.device) for _ in range(2))
    answer = examiner.call_recorded(x, y, programs)
    if answer.error is not None:
        return answer.error
    if not isinstance(answer.result, torch.Tensor) or answer.result.numel() != n:
        return Wrong(
            Words(
                f"`add_in_turns(x, y, {programs})` gave no vector of {n} elements: there is nothing in which a program "
                "could have its turn.",
                f"`add_in_turns(x, y, {programs})` non ha dato un vettore di {n} elementi: non c'è niente in cui un "
                "programma possa avere il suo turno.",
            ),
            line=answer.line,
        )
    if answer.launches is None:
        return None  # on a GPU nobody sees who wrote what
    grids = [tuple(launch.grid) for launch in answer.launches]
    if [grid[:1] for grid in grids] != [(programs,)]:
        launched = ", ".join(map(str, grids))
        return Wrong(
            Words(
                f"`add_in_turns(x, y, {programs})` launched a grid of {launched}. Three programs do all the work, "
                "whatever n is: the grid is `(programs,)`.",
                f"`add_in_turns(x, y, {programs})` ha lanciato una griglia {launched}. Tre programmi fanno tutto il "
                "lavoro, qualunque sia n: la griglia è `(programs,)`.",
            ),
            line=answer.launches[0].line if answer.launches else answer.line,
        )
    for element, writer in enumerate(answer.writers(answer.result).tolist()):
        block = element // BLOCK
        if writer not in (-1, block % programs):
            return Wrong(
                Words(
                    f"n = {n}, {programs} programs: element {element} lies in block {block}. It is the turn of program "
                    f"{block % programs}, for {block} mod {programs} is {block % programs}, but program {writer} "
                    "wrote it.",
                    f"n = {n}, {programs} programmi: l'elemento {element} sta nel blocco {block}. Tocca al programma "
                    f"{block % programs}, perché {block} mod {programs} fa {block % programs}, ma l'ha scritto il "
                    f"programma {writer}.",
                ),
                line=answer.launches[0].line,
            )
    return None


ONCE = "one addition, rounded once to the nearest number of this dtype"
ONCE_IT = "una sola somma, arrotondata una volta al numero più vicino di questo dtype"

EXERCISE = Exercise(
    entry="add_in_turns",
    inputs=inputs,
    reference=lambda x, y, programs: x + y,
    cases=[
        *(Case(f"n = {n}, programs = {programs}", {"n": n, "programs": programs}, seeds=(0,)) for n, programs in SIZES),
        Case("n = 997, programs = 3, float16", {"n": 997, "programs": 3, "dtype": torch.float16}),
    ],
    trials=[Trial(Words("block b is program b mod 3's", "il blocco b è del programma b mod 3"), turns)],
    trace_case=Case("n = 1000, programs = 3", {"n": 1000, "programs": 3}, seeds=(0,)),
    tolerances={
        torch.float32: Tolerance(2.0**-24, 1e-12, ONCE, ONCE_IT),
        torch.float16: Tolerance(2.0**-11, 2.0**-25, ONCE, ONCE_IT),
    },
)
