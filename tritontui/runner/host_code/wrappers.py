"""Trials of a wrapper: it must refuse what its contract doesn't allow, in words, before anything is launched."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import torch

from tritontui.runner.host_code.trials import Answer, Examiner, described, happened
from tritontui.runner.spec import Words, Wrong

REFUSALS = (ValueError, TypeError)


def call_of(function: str, names: Sequence[str], arguments: Sequence[Any]) -> str:
    """The call as code: ``add(x: float32[5], y: float16[5])``, between backquotes."""
    given = ", ".join(f"{name}: {described(value)}" for name, value in zip(names, arguments, strict=False))
    return f"`{function}({given})`"


def refusal(
    names: Sequence[str], make: Callable[[Examiner], Sequence[Any]], why: Words
) -> Callable[[Examiner], Wrong | None]:
    """A trial's ``run``: ``make`` gives arguments, called ``names``, that the contract refuses, and ``why``."""

    def run(examiner: Examiner) -> Wrong | None:
        arguments = make(examiner)
        before = [value.clone() if isinstance(value, torch.Tensor) else value for value in arguments]
        answer = examiner.call(*arguments)
        called = call_of(examiner.function.__name__, names, arguments)
        error = answer.error
        if error is None:
            return _taken(called, answer, why)
        if not isinstance(error, REFUSALS) or not answer.own_error:
            return _wrong_kind(called, answer)
        if not any(re.search(rf"\b{name}\b", str(error)) for name in names):
            return _nameless(called, answer, names)
        if answer.launches or any(_changed(now, then) for now, then in zip(arguments, before, strict=True)):
            return _too_late(called, answer)
        return None

    return run


def _changed(now: Any, then: Any) -> bool:
    return isinstance(now, torch.Tensor) and not torch.equal(now, then)


def _taken(called: str, answer: Answer, why: Words) -> Wrong:
    result = _result(answer.result)
    return Wrong(
        Words(
            f"{called} returned {result}. But {why.en}: refuse this call, before anything is launched.",
            f"{called} ha restituito {result}. Ma {why.it}: questa chiamata va rifiutata, prima di lanciare qualcosa.",
        )
    )


def _result(result: Any) -> str:
    return ", ".join(map(described, result)) if isinstance(result, tuple) else described(result)


def _wrong_kind(called: str, answer: Answer) -> Wrong:
    if isinstance(answer.error, AssertionError):
        return Wrong(
            Words(
                f"{called} was stopped by an `assert`, which `python -O` leaves out. What a caller does wrong deserves "
                "a ValueError or a TypeError.",
                f"{called} è stata fermata da un `assert`, che `python -O` toglie. L'errore di chi chiama merita un "
                "ValueError o un TypeError.",
            ),
            line=answer.line,
        )
    return Wrong(
        Words(
            f"{called} ended in `{happened(answer)}`, which came up by accident further down. Check it first, and "
            "raise a ValueError or a TypeError of your own.",
            f"{called} è finita in `{happened(answer)}`, nato per caso più in basso. Controlla prima, e solleva un "
            "ValueError o un TypeError tuo.",
        ),
        line=answer.line,
    )


def _nameless(called: str, answer: Answer, names: Sequence[str]) -> Wrong:
    first, last = ", ".join(f"`{name}`" for name in names[:-1]), f"`{names[-1]}`"
    return Wrong(
        Words(
            f"{called} was refused with `{happened(answer)}`. Whoever reads that doesn't know where to look: name the "
            f"argument ({first} or {last}) in the message.",
            f"{called} è stata rifiutata con `{happened(answer)}`. Chi lo legge non sa dove guardare: nomina "
            f"l'argomento ({first} o {last}) nel messaggio.",
        ),
        line=answer.line,
    )


def _too_late(called: str, answer: Answer) -> Wrong:
    return Wrong(
        Words(
            f"{called} was refused, but only after the kernel had run: the damage was done. Check first.",
            f"{called} è stata rifiutata, ma solo dopo che il kernel era girato: il danno era fatto. Prima controlla.",
        ),
        line=answer.line,
    )
