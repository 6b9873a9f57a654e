"""One-line texts about the state of things, as pure functions: what the title and the status line say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tritontui.course.model import Lesson, Step
from tritontui.engine.status import EngineStatus, Phase
from tritontui.i18n import N_, Language, Translator

if TYPE_CHECKING:
    from tritontui.ui.runs.controller import Seal, View

PHASES: dict[Phase, str] = {
    "starting": N_("starting"),
    "ready": N_("ready"),
    "tracing": N_("tracing"),
    "compiling": N_("compiling"),
    "checking": N_("checking"),
    "measuring": N_("measuring"),
    "restarting": N_("restarting"),
    "failed": N_("failed"),
    "closed": N_("closed"),
}

SEALED: dict[Seal, str] = {
    "questions": N_("Nothing is judged yet: read the kernel, and answer the lesson's questions."),
    "step": N_("Answer the questions of the lesson first: what is judged here would tell."),
    "prediction": N_("Judged cold: once you have said in its step what you expect, {key} judges."),
    "break": N_("Say in the lesson what you expect, make the change, then {key} judges."),
}
"""What a kernel waits for; ``key`` runs it."""

KINDS = {
    "opening": N_("opening"),
    "read": N_("read"),
    "explore": N_("explore"),
    "predict": N_("predict"),
    "code": N_("code"),
    "fix": N_("fix"),
    "measure": N_("measure"),
    "do": N_("do"),
    "evidence": N_("evidence"),
    "closing": N_("closing"),
}
"""Step kinds, as shown in their badge."""


def engine_words(status: EngineStatus, live: bool, tr: Translator) -> str:
    """``H200 · ready · live``; the reason instead when the engine can't start."""
    parts = [status.device, tr(PHASES[status.phase])]
    if status.problem:
        from tritontui.diagnosis.starting import start_cause  # seldom, and not for the first frame

        cause = start_cause(status.problem)
        words = tr(cause.title) if cause else status.problem.splitlines()[0]
        parts.append(words if status.phase == "failed" else tr("no GPU: {reason}", reason=words))
    if live and status.phase != "failed":
        parts.append(tr("live"))
    return " · ".join(parts)


def place_words(lesson: Lesson, step: Step, language: Language, tr: Translator, *, short: bool = False) -> str:
    """``5 Vector addition · step 3/6``; short: ``3/6 · 5 Vector addition``, whose end may be cut off."""
    number, total = lesson.steps.index(step) + 1, len(lesson.steps)
    title = f"{lesson.number} {lesson.title[language]}"
    if short:
        return f"{number}/{total} · {title}"
    return f"{title} · " + tr("step {number}/{total}", number=number, total=total)


def step_words(step: Step, tr: Translator) -> str:
    """``Lesson · code``: of what kind the step is."""
    return f"{tr('Lesson')} · {tr(KINDS[step.kind])}"


RECORDED = N_("recorded")
SKIPPED = N_("skipped")
"""Why the badge of a done step is hollow: by figures of another GPU; not done here."""


def verdict_sign(view: View) -> tuple[str, str]:
    """``✓``, ``✗``, ``!`` or ``…`` with its style; nothing when nothing was judged, or tried."""
    if view.untried:
        return "", ""
    if view.verdict == "pass":
        return "✓", "bold $success"
    if view.verdict == "fail":
        return "✗", "bold $error"
    if view.verdict == "error":
        return "!", "bold $warning"
    return ("…", "$muted") if view.running or view.stale else ("", "")
