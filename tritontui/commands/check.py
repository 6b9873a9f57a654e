"""``tritontui check``: judge a file as the application would."""

from __future__ import annotations

import difflib
import sys
from pathlib import Path

from tritontui.commands.console import Context
from tritontui.commands.engine import judge, run, running
from tritontui.commands.findings import print_compiler, print_findings
from tritontui.commands.status import GOOD, UNUSABLE, WRONG, CommandError
from tritontui.commands.trust import ask_to_run
from tritontui.course.model import Course, ExerciseFolder
from tritontui.course.work import Work
from tritontui.engine.messages import CaseResult, Measurement, Mismatch, StageName
from tritontui.engine.report import Report
from tritontui.i18n import N_, percent

STATUS = {"pass": GOOD, "fail": WRONG, "error": UNUSABLE, None: UNUSABLE}


def check(context: Context, name: str, file: str | None, *, as_json: bool, measure: bool, target: str | None) -> int:
    course = context.course()
    exercise = find_exercise(context, course, name)
    ask_to_run(context)
    source, filename = read_submission(context, exercise, file)
    stages: list[StageName] = ["trace", "legality", "cases", "compile", *(["measure"] if measure else [])]  # type: ignore[list-item]
    report = run(_check(context, exercise, source, filename, stages, target))
    if file is None:
        _remember(context, course, exercise, report)
    if as_json:
        context.console.json(report.as_json(context.language))
    else:
        print_report(context, report, filename, measure)
    return GOOD if _ran(report) else STATUS[report.verdict]


def _ran(report: Report) -> bool:
    """Whether it is an exploration in which nothing went wrong: there is no verdict on it."""
    return report.finished and report.verdict is None and "cases" not in report.stages


def find_exercise(context: Context, course: Course, name: str) -> ExerciseFolder:
    """The exercise called ``name``; CommandError with what was perhaps meant."""
    try:
        return course.exercise(name)
    except KeyError:
        known = [step.exercise.id for lesson in course.lessons for step in lesson.steps if step.exercise]
        message = context.tr("There is no exercise {name}; tritontui list shows them all.", name=name)
        if meant := difflib.get_close_matches(name, known, n=1):
            message = context.tr("There is no exercise {name}. Is it {known}?", name=name, known=meant[0])
        raise CommandError(message) from None


def read_submission(context: Context, exercise: ExerciseFolder, file: str | None) -> tuple[str, str]:
    """Text and name of what is judged: FILE, standard input for ``-``, or what the learner saved."""
    tr = context.tr
    if file is None:
        work = Work(context.paths.work)
        text = work.read(exercise.id)
        if text is None:
            raise CommandError(tr("You haven't written anything for {name} yet. Give a file.", name=exercise.id))
        return text, work.path(exercise.id).name
    if file == "-":
        return sys.stdin.read(), "<stdin>"
    path = Path(file)
    try:
        return path.read_text(encoding="utf-8-sig"), path.name
    except UnicodeDecodeError:
        raise CommandError(tr("{path} is not a UTF-8 text.", path=path)) from None
    except OSError as error:
        raise CommandError(tr("{path} can't be read: {reason}.", path=path, reason=error.strerror)) from None


async def _check(
    context: Context,
    exercise: ExerciseFolder,
    source: str,
    filename: str,
    stages: list[StageName],
    target: str | None,
) -> Report:
    async with running(context.device) as engine:
        return await judge(engine, exercise, source, filename, stages, target=target)


def _remember(context: Context, course: Course, exercise: ExerciseFolder, report: Report) -> None:
    """The learner's own work counts as it would in the application."""
    if report.verdict is None:
        return
    lesson, step = course.place(exercise.id)
    with context.progress() as progress:
        findings = [finding.id for finding in report.findings]
        progress.record_attempt(exercise.id, report.verdict, findings, report.device)
        if report.verdict == "pass" and progress.answered(lesson.id, step.id) >= step.question_ids:
            progress.mark_done(lesson.id, step.id)


# ---------------------------------------------------------------- for a human


def print_report(context: Context, report: Report, filename: str, measure: bool) -> None:
    console, tr = context.console, context.tr
    console.line(f"{report.exercise} · {filename} · {report.device}")
    console.line()
    print_findings(context, report.findings)
    _print_cases(context, report.cases)
    print_compiler(context, report.compiler)
    if report.measurement is not None:
        console.marked("good", _speed(context, report.measurement))
    elif measure:
        console.marked("note", _why_not_measured(context, report))
    if report.output:
        console.line(tr("It printed:"))
        console.verbatim(report.output)
    console.line()
    _print_verdict(context, report)


def _print_cases(context: Context, cases: list[CaseResult]) -> None:
    if not cases:
        return
    tr, right = context.tr, sum(case.passed for case in cases)
    meaning = "good" if right == len(cases) else "error"
    context.console.marked(meaning, tr("cases right: {right} of {total}", right=right, total=len(cases)))
    wrong = [case for case in cases if not case.passed]
    shown = next((case for case in wrong if case.first_mismatch is not None), None)
    if shown is not None and shown.first_mismatch is not None:
        context.console.paragraph(_mismatch(context, shown.name_in(tr.language), shown.first_mismatch))
    if others := [_unbroken(case.name_in(tr.language)) for case in wrong if case is not shown]:
        context.console.paragraph(tr("wrong in: {names}", names="; ".join(others)))


def _unbroken(name: str) -> str:
    return name.replace(" ", "\N{NO-BREAK SPACE}")


def _mismatch(context: Context, case: str, mismatch: Mismatch) -> str:
    words = (
        N_("{case}: element {index} should be {expected} and is {got} ({wrong} of {total} are wrong)")
        if mismatch.written
        else N_("{case}: element {index} should be {expected} and is never written ({wrong} of {total} are wrong)")
    )
    return context.tr(
        words,
        case=case,
        index=", ".join(map(str, mismatch.index)),
        expected=mismatch.expected,
        got=mismatch.got,
        wrong=mismatch.wrong,
        total=mismatch.total,
    )


def _speed(context: Context, measured: Measurement) -> str:
    tr = context.tr
    parts = [f"{measured.case}: {tr.number(measured.median_us, 1)} µs, {tr.number(measured.gbps)} GB/s"]
    if measured.ceiling_gbps:
        share = percent(measured.gbps / measured.ceiling_gbps)
        parts.append(
            tr(
                "{share} of what this GPU can do here ({ceiling} GB/s)",
                share=share,
                ceiling=tr.number(measured.ceiling_gbps),
            )
        )
    if measured.torch_us:
        parts.append(f"PyTorch {tr.number(measured.torch_us, 1)} µs")
    return " · ".join(parts)


def _why_not_measured(context: Context, report: Report) -> str:
    tr = context.tr
    reasons = {
        "no-gpu": tr("Not measured: there is no GPU here."),
        "failed-before": tr("Not measured: only a right kernel is worth measuring."),
        "not-safe": tr("Not measured: the kernel leaves its tensors."),
        "not-legal": tr("Not measured: the compiler rejects the kernel."),
        "no-case": tr("This exercise isn't measured."),
    }
    return reasons.get(report.skipped.get("measure", "no-gpu"), tr("Not measured."))


def _print_verdict(context: Context, report: Report) -> None:
    tr, console, explored = context.tr, context.console, _ran(report)
    if report.verdict == "pass":
        console.marked("good", tr("Right: it passes."))
    elif explored:
        console.marked("good", tr("It runs. Nothing here is right or wrong: it is there to be explored."))
    elif report.verdict == "fail":
        console.marked("error", tr("Not right yet."))
    else:
        console.marked("error", tr("It could not be judged; the fault is not in your code."))
        error = report.as_json(context.language)["error"] or {}
        console.verbatim("\n".join(text for text in (error.get("message"), error.get("details")) if text))
