"""``tritontui measure`` and ``tritontui import``: experiments timed on one machine, and their figures on another."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from tritontui.commands.console import Context
from tritontui.commands.engine import run, running
from tritontui.commands.status import GOOD, WRONG, CommandError, complain
from tritontui.commands.trust import ask_to_run
from tritontui.course.arithmetic import ExpressionError
from tritontui.course.figures import Figures, FiguresError, figures_of
from tritontui.course.model import Course, Experiment, Lesson, Step
from tritontui.course.progress import Progress
from tritontui.course.questions import Drawn
from tritontui.course.records import FiguresSource
from tritontui.course.work import Work
from tritontui.diagnosis import explain
from tritontui.engine.engine import Engine
from tritontui.engine.experiment import ExperimentRun, own_text
from tritontui.engine.messages import ExperimentPoint
from tritontui.i18n import Translator, plain

SCHEMA = 1


def measure(context: Context, names: list[str], *, as_json: bool) -> int:
    """Time experiments on the GPU here, and keep their figures; ``names`` empty: every experiment of the course.

    What is going on is said on standard error, so that the JSON may be redirected.
    """
    course = context.course()
    experiments = _chosen(context, course, names)
    ask_to_run(context)
    runs = run(_measure(context, course, experiments))
    figures = [found for one in runs if (found := one.figures(_command(names))) is not None]
    with context.progress() as progress:
        for found in figures:
            _keep(progress, course, found, imported=False)
    if as_json:
        context.console.json({"schema": SCHEMA, "figures": [found.as_json() for found in figures]})
    else:
        for found in figures:
            _print(context, course, found)
    return GOOD if len(figures) == len(runs) else WRONG


def import_figures(context: Context, file: str) -> int:
    """Take in what ``tritontui measure --json`` wrote on a machine with a GPU. ``file`` is ``-`` for standard input."""
    tr, course = context.tr, context.course()
    known = course.experiments
    taken = 0
    found = _read(context, file)
    context.paths.create()
    with context.progress() as progress:
        for figures in found:
            _, step = known.get(figures.experiment, (None, None))
            experiment = step.experiment if step is not None else None
            if experiment is None:
                complain(tr("{name} is no experiment of this course.", name=figures.experiment))
            elif not figures.matches(experiment.grid):
                complain(tr("{name} was measured at other sizes than this course's.", name=figures.experiment))
            else:
                _keep(progress, course, figures, imported=True)
                context.console.marked(
                    "good", tr("{name}, measured on {gpu}", name=figures.experiment, gpu=figures.machine.gpu)
                )
                taken += 1
    return GOOD if taken and taken == len(found) else WRONG


# ---------------------------------------------------------------- measuring


def _chosen(context: Context, course: Course, names: list[str]) -> list[Experiment]:
    known = {name: step.experiment for name, (_, step) in course.experiments.items() if step.experiment is not None}
    for name in names:
        if name not in known:
            message = context.tr("There is no experiment {name}. Is it {known}?", name=name, known=", ".join(known))
            raise CommandError(message)
    return [known[name] for name in names or known]


async def _measure(context: Context, course: Course, experiments: list[Experiment]) -> list[ExperimentRun]:
    async with running(context.device) as engine:
        return [await _one(context, engine, course, experiment) for experiment in experiments]


async def _one(context: Context, engine: Engine, course: Course, experiment: Experiment) -> ExperimentRun:
    tr, done = context.tr, ExperimentRun(experiment)
    own, work = [], Work(context.paths.work)
    with context.progress() as progress:
        for identifier in experiment.uses:
            exercise = course.exercise(identifier)
            text = work.read(identifier) if progress.passed(identifier) else None
            if text is None:
                _say(tr("Your {name} hasn't passed yet: the course's own is timed in its place.", name=identifier))
                text = exercise.solution.read_text(encoding="utf-8")
            own.append(own_text(exercise, text, work.path(identifier).name))
    async for reply in engine.experiment(experiment, own):
        done.add(reply)
        if isinstance(reply, ExperimentPoint):
            tried, total = done.progress
            at = ", ".join(f"{axis} = {value}" for axis, value in reply.values.items())
            _say(f"{experiment.id} {tried}/{total}: {reply.entry} {at}")
    if done.unmeasured is not None:
        raise CommandError(tr("There is no GPU here that could be measured."))
    if done.broken is not None:
        raise CommandError(f"{done.broken.message}\n{done.broken.details}")
    for exercise_id, problem in done.refused.items():
        complain(tr("Your {name} isn't right any more, so no GPU sees it:", name=exercise_id))
        complain(explain(problem, context.language).message)
    for finding in done.findings:
        complain(explain(finding, context.language).message)
    return done


def _say(words: str) -> None:
    print(plain(words), file=sys.stderr, flush=True)


def _command(names: list[str]) -> str:
    return " ".join(["tritontui", "measure", *names])


def _print(context: Context, course: Course, figures: Figures) -> None:
    """A table for each entry."""
    console, experiment = context.console, course.experiments[figures.experiment][1].experiment
    assert experiment is not None
    console.line()
    console.line(f"{figures.experiment} · {figures.machine.gpu}")
    for entry in experiment.entries:
        found = figures.entries[entry.id]
        console.line()
        console.line(entry.title[context.language])
        axes = [experiment.axis_title(axis, context.language) for axis in found.axes]
        names = [name for name in ("us", "loop_us", "host_us", "gbps", "tflops") if name in found.figures]
        console.line("  " + "".join(f"{name:>14}" for name in (*axes, *names)))
        points = [point for point, _ in figures.series(entry.id, names[0]).points()] if names else []
        for index, point in enumerate(points):
            row = [f"{value:>14}" for value in point]
            row += [_figure(found.figures[name][index]) for name in names]
            console.line("  " + "".join(row))


def _figure(value: float | None) -> str:
    return f"{'–' if value is None else f'{value:,.1f}':>14}"


# ---------------------------------------------------------------- keeping


def _read(context: Context, file: str) -> list[Figures]:
    tr = context.tr
    try:
        text = sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
        value: Any = json.loads(text)
        if value["schema"] != SCHEMA:
            raise FiguresError(f"schema {value['schema']!r}")
        return [figures_of(one) for one in value["figures"]]
    except OSError as error:
        raise CommandError(tr("{path} can't be read: {reason}.", path=file, reason=error.strerror)) from None
    except (ValueError, KeyError, TypeError) as error:
        reason = _what_is_wrong(error, tr)
        message = tr("{path} is not what tritontui measure --json writes: {reason}", path=file, reason=reason)
        raise CommandError(message) from None


def _what_is_wrong(error: Exception, tr: Translator) -> str:
    """Why a text holds no figures, in words."""
    if isinstance(error, FiguresError):
        return str(error)
    if isinstance(error, json.JSONDecodeError):
        return tr("line {line} is no JSON.", line=error.lineno)
    if isinstance(error, UnicodeDecodeError):
        return tr("it is no text.")
    if isinstance(error, KeyError):
        return tr('"{name}" is missing in it.', name=error.args[0])
    return tr('it is no JSON object with "schema" and "figures" in it.')


def _keep(progress: Progress, course: Course, figures: Figures, *, imported: bool) -> None:
    """Record the figures, and judge by them what was predicted."""
    lesson, step = course.experiments[figures.experiment]
    source: FiguresSource = "imported" if imported else "measured"
    progress.record_experiment(figures.experiment, figures.machine.gpu, source, json.dumps(figures.as_json()))
    _judge(progress, lesson, step, figures, source)


def _judge(progress: Progress, lesson: Lesson, step: Step, figures: Figures, source: FiguresSource) -> None:
    questions = {question.id: question for question in step.questions if question.prediction}
    newest = {record.question: record for record in progress.predictions(lesson.id, step.id)}
    for identifier, record in newest.items():
        if identifier not in questions:
            continue  # of an earlier state of the lesson
        drawn = Drawn(questions[identifier], record.draw, (), figures=figures)
        try:
            progress.judge_prediction(
                lesson.id,
                step.id,
                identifier,
                correct=drawn.judge(record.given).correct,
                figure=str(drawn.solution()),
                distance=drawn.distance(record.given),
                source=source,
            )
        except (ExpressionError, ValueError):
            continue  # no figure there on that card, or numbers that the question has no more
