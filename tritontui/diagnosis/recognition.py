"""From an exception, as data, to a finding."""

from __future__ import annotations

from tritontui.diagnosis.finding import Failure, Finding


def recognise(failure: Failure) -> Finding:
    """What ``failure`` means for the learner, on the learner's own line.

    Always answers: what no rule knows is ``compile-error`` (from the compiler) or ``host-exception``
    (from anywhere else), with the untouched text of the error in ``original``.
    """
    raise NotImplementedError
