"""The experiments of measure steps: how ``lesson.toml`` declares them, and what was recorded of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tritontui.course.arithmetic import ExpressionError, measured, names, reads_figures
from tritontui.course.faults import CourseError, Problem
from tritontui.course.figures import CARD, CARD_FIGURES, FIGURES, EntryFigures, Figures, FiguresError, Machine, Series
from tritontui.course.figures import read_figures as parse
from tritontui.course.model import LANGUAGES, Entry, Experiment, Plot, Question, Text
from tritontui.course.questions import faults, fields, fill
from tritontui.course.structure import Table


def read_experiment(table: Table, lesson: Path, title: Text) -> Experiment | None:
    """The experiment of a measure step; what is wrong is noted in ``table``."""
    identifier = table.string("experiment")
    folder = lesson / "exercises" / identifier
    if identifier and not (folder / "experiment.py").is_file():
        table.fault(f"there is no exercises/{identifier}/experiment.py", "experiment")
    axes = table.axes("axes")
    titles = {}
    for name, words in table.named_tables("axis_titles"):
        if name not in axes:
            words.fault(f"there is no axis '{name}'")
        titles[name] = {language: words.string(language) for language in LANGUAGES}
        words.finish()
    entries = []
    for name, entry in table.named_tables("entries"):
        along = entry.strings("axes", [])
        for axis in along:
            if axis not in axes:
                entry.fault(f"there is no axis '{axis}'", "axes")
        entries.append(Entry(name, {language: entry.string(language) for language in LANGUAGES}, along))
        if not name.isidentifier() or name == CARD:
            entry.fault(f"an entry is called as a variable is, and not '{CARD}': '{name}' can't be")
        entry.finish()
    if not entries:
        table.fault("a measure step needs entries to time", "entries")
    plots = []
    for plot in table.tables("plots", needed=False):
        roofline = plot.strings("roofline", [])
        plots.append(Plot(plot.strings("show", [] if roofline else None), roofline))
        plot.finish()
    uses = table.strings("uses", [])
    known = tuple(entry for entry in entries if set(entry.axes) <= axes.keys())
    experiment = Experiment(identifier, folder, title, axes, known, tuple(plots), uses, titles)
    _check_plots(experiment, table)
    return experiment if identifier else None


def _check_plots(experiment: Experiment, table: Table) -> None:
    if not experiment.plots:
        table.fault("a measure step shows its figures: it needs plots", "plots")
    stand_in = stand_in_figures(experiment)
    for plot in experiment.plots:
        for entry in plot.roofline:
            if entry not in stand_in.entries or len(stand_in.entries[entry].axes) != 1:
                table.fault(f"a roofline shows entries with one axis: '{entry}' is none", "plots")
        for shown in plot.show:
            try:
                if not isinstance(measured(shown, {}, stand_in), Series):
                    table.fault(f"'{shown}' is one figure: a plot shows a series", "plots")
            except ExpressionError as error:
                table.fault(str(error), "plots")


def stand_in_figures(experiment: Experiment) -> Figures:
    """Figures that say nothing but which there are: any expression over the experiment has a value with them."""
    entries = {}
    for name, axes in experiment.grid.items():
        count = 1
        for values in axes.values():
            count *= len(values)
        entries[name] = EntryFigures(axes, {figure: [1.0] * count for figure in FIGURES})
    return Figures(experiment.id, Machine("", dict.fromkeys(CARD_FIGURES, 1.0)), "", "", entries)


def is_prediction(question: Question) -> bool:
    """Whether a question of a measure step is committed before the figures that answer it. Raises ExpressionError."""
    if question.after:
        return False
    expressions = [*question.when.values(), *([str(question.answer)] if question.kind == "number" else [])]
    return any(reads_figures(expression) for expression in expressions)


def faults_of(question: Question, experiment: Experiment) -> list[str]:
    """What is wrong in a question under some draw, by any figures of ``experiment`` and by those the course has."""
    before = [] if question.after else [question.prompt, *(option.text for option in question.options)]
    for text in before:
        for language in LANGUAGES:
            for expression in fields(text[language]):
                if reads_figures(expression):
                    return [f"'{expression}' would tell a figure before the prediction"]
    if any(option not in {known.id for known in question.options} for option in question.when):
        return ["'when' names an option that isn't there"]
    if question.kind == "number" and is_prediction(question) and question.tolerance <= 0:
        return ["a figure is never met exactly: say a tolerance, such as 0.25"]
    stand_in = stand_in_figures(experiment)
    found = [fault for fault in faults(question, stand_in) if "would be right" not in fault]
    if not found and experiment.recorded is not None:
        found = [f"with the recorded figures: {fault}" for fault in faults(question, experiment.recorded)]
    return found


def faults_of_questions(questions: Sequence[Question]) -> list[str]:
    """What is wrong in a measure step's questions as a whole."""
    found = []
    if not any(question.prediction for question in questions):
        found.append("a measure step asks for a prediction: a question that the figures answer")
    if sorted(question.after for question in questions) != [question.after for question in questions]:
        found.append('questions with ask = "after" come after the others')
    return found


def faults_of_text(text: Text, experiment: Experiment) -> list[str]:
    """What is wrong in the text that is shown with the figures."""
    found = []
    for words in text.values():
        try:
            fill(words, {}, stand_in_figures(experiment))
        except ExpressionError as error:
            found.append(str(error))
    return found


def unknown_names(expression: str, question: Question, experiment: Experiment | None) -> frozenset[str]:
    """What ``expression`` reads that is neither a variable of the question nor an entry. Raises ExpressionError."""
    entries = {CARD, *(entry.id for entry in experiment.entries)} if experiment is not None else set()
    return names(expression) - question.variables.keys() - entries


def read_recording(experiment: Experiment) -> Figures | None:
    """``recorded.json`` of the experiment, None when there is none. Raises CourseError when it isn't its figures."""
    path = experiment.recording
    try:
        figures = parse(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, FiguresError, UnicodeDecodeError) as error:
        raise CourseError([Problem(path, None, str(error))]) from error
    if figures.experiment != experiment.id or not figures.matches(experiment.grid):
        raise CourseError([Problem(path, None, "was recorded of other entries or axes: record it again")])
    return figures
