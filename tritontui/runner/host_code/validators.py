"""Trials of a validator: handed functions, right ones and wrong ones, it must answer which is which."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import torch

from tritontui.runner.host_code.trials import Answer, Examiner, described
from tritontui.runner.spec import Trial, Words, Wrong


class Subject(Protocol):
    """One function under trial, as the learner's validator gets it."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...

    def tried(self) -> Words:
        """With what it was called, in a sentence."""
        ...

    def excuse(self) -> Words | None:
        """Why a fault that never showed could not show, if there is more to say than what was tried."""
        ...


@dataclass(frozen=True)
class Kind:
    """What the functions under trial are."""

    right: Words
    """A sentence on those in which nothing is wrong, and on all that is right in them."""
    subject: Callable[[Examiner, Any], Subject]
    """The function that does ``work``, the exercise's own way of saying how."""

    def trial(self, name: Words, work: Any, fault: Words | None = None) -> Trial:
        """``fault``: a sentence on what is wrong with this one; None: nothing is."""

        def run(examiner: Examiner) -> Wrong | Exception | None:
            subject = self.subject(examiner, work)
            answer = examiner.call(subject)
            validator = f"`{examiner.function.__name__}`"
            if answer.error is not None:
                return _no_answer(answer, fault, validator)
            said = answer.result
            if isinstance(said, torch.Tensor) and said.dim() == 0:
                said = said.item()
            if not isinstance(said, bool):
                return _neither(answer, validator)
            if said == (fault is None):
                return None
            if fault is None:
                return self._rejected(subject, answer, validator)
            return _missed(fault, subject, validator)

        return Trial(name, run)

    def _rejected(self, subject: Subject, answer: Answer, validator: str) -> Wrong:
        tried = subject.tried()
        return Wrong(
            Words(
                f"{self.right.en} {tried.en} {validator} answered False.",
                f"{self.right.it} {tried.it} {validator} ha risposto False.",
            ),
            id="validator-rejects-right",
            line=answer.line,
        )


def _missed(fault: Words, subject: Subject, validator: str) -> Wrong:
    why, tried = subject.excuse(), subject.tried()
    if why is None:
        why = Words(f"{tried.en} {validator} answered True.", f"{tried.it} {validator} ha risposto True.")
    return Wrong(Words(f"{fault.en} {why.en}", f"{fault.it} {why.it}"), id="validator-misses")


def _neither(answer: Answer, validator: str) -> Wrong:
    said = described(answer.result)
    return Wrong(
        Words(
            f"{validator} returned {said}. It should answer True or False.",
            f"{validator} ha restituito {said}. Deve rispondere True o False.",
        ),
        line=answer.line,
    )


def _no_answer(answer: Answer, fault: Words | None, validator: str) -> Wrong | Exception | None:
    """An error of the learner's own, or one that the function raised and nobody caught."""
    if answer.own_error and isinstance(answer.error, AssertionError):
        return Wrong(
            Words(
                f"An AssertionError came out of {validator}. It should answer False, so that the next function gets "
                "its turn.",
                f"Da {validator} è uscito un AssertionError. Deve rispondere False, così tocca alla funzione seguente.",
            ),
            line=answer.line,
        )
    if fault is None or answer.own_error or not isinstance(answer.error, ZeroDivisionError):
        return answer.error
    error = type(answer.error).__name__
    return Wrong(
        Words(
            f"{fault.en} The {error} went through {validator}, which never gave its answer. A function that raises is "
            "a wrong function: say False.",
            f"{fault.it} L'errore {error} ha attraversato {validator}, che non ha mai risposto. Una funzione che "
            "solleva è una funzione sbagliata: rispondi False.",
        ),
        line=answer.line,
    )
