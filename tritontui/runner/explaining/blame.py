"""An error of a run as a finding: the words of ``diagnosis``, the facts of the moment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tritontui.diagnosis import recognise
from tritontui.diagnosis.finding import Finding
from tritontui.runner.cases.check import Question
from tritontui.runner.cases.host import tensors_in
from tritontui.runner.compiler.compile import Launch, Rejection
from tritontui.runner.submission import Stage, Submission, failure_of, is_own_defect


@dataclass(frozen=True)
class Blame:
    """What went wrong in one submission, on the learner's own line."""

    submission: Submission
    entry: str
    device: str

    def of_error(
        self, error: Exception, stage: Stage, launches: Sequence[Launch] = (), question: Question | None = None
    ) -> Finding:
        """``launches``: those before it, the last perhaps at fault; ``question``: what the function was called with.

        Raises ``error`` itself when it is a defect of tritontui's own.
        """
        if is_own_defect(error):
            raise error
        facts = _facts(launches[-1]) if launches else {}
        empty = question is not None and any(not tensor.numel() for tensor in tensors_in(question.arguments))
        context = {**facts, "entry": self.entry, "device": self.device, "empty": empty}
        return recognise(failure_of(error, self.submission, stage, context))

    def of_rejection(self, rejection: Rejection) -> Finding:
        """Why the compiler refused a launch."""
        failure = failure_of(rejection.error, self.submission, "compile", _facts(rejection.launch))
        failure.log = rejection.log
        finding = recognise(failure)  # which may read a better line from the log
        finding.line = finding.line or rejection.launch.line
        return finding


def _facts(launch: Launch) -> dict[str, Any]:
    scalars = {k: v for k, v in launch.arguments.items() if isinstance(v, (int, float, str, bool))}
    facts = {"kernel": launch.kernel.fn.__name__, "arguments": scalars, **launch.options}
    return facts if launch.grid is None else {**facts, "grid": list(launch.grid)}
