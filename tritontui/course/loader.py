"""Reads lessons: one folder ``NN-name`` each; ``lesson.toml`` has the structure, ``en.md`` and ``it.md`` the words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import starmap
from pathlib import Path
from typing import cast, get_args

from tritontui.course import exercises
from tritontui.course.asking import QuestionReader
from tritontui.course.faults import CourseError, Problem
from tritontui.course.markdown import Section
from tritontui.course.model import (
    DECLARED,
    LANGUAGES,
    Course,
    ExerciseFolder,
    Experiment,
    Knob,
    Language,
    Lesson,
    Outcome,
    Question,
    Rung,
    Step,
    StepKind,
    Task,
    Text,
)
from tritontui.course.opening import CLOSING, OPENING, closing_step, opening_step
from tritontui.course.structure import Table, read_toml
from tritontui.course.words import Words, bodies, titles

__all__ = ["CourseError", "Problem", "lesson_folders", "lessons_folder", "load_course", "load_lesson"]

MAX_CHANGED_LINES = 3
"""In which a fault is mended, unless its step says otherwise."""

NEEDS_EXERCISE: tuple[StepKind, ...] = ("explore", "code", "fix")

RECALLED: tuple[StepKind, ...] = ("read", "predict")
"""Whose questions make sense elsewhere, unless they say otherwise: those of other steps are about what is on screen."""

RESERVED = (OPENING, CLOSING)

DOING, SKIPPED = "doing", "skipped"
"""Ids of the sections of a do step: how it is done, and what is said to those who can't do it where they are."""

FIGURES = "figures"
"""Id of the section, among a measure step's questions, that is shown with the figures."""

_FOLDER = re.compile(r"(\d\d)-[a-z0-9]+(-[a-z0-9]+)*")


def lessons_folder() -> Path:
    """Where the lessons of this installation are: inside the package, or beside it in a checkout."""
    package = Path(__file__).resolve().parent.parent
    inside = package / "lessons"
    return inside if inside.is_dir() else package.parent / "lessons"


def load_course(folder: Path | None = None, *, thorough: bool = False) -> Course:
    """Every lesson under ``folder``, by number; None: those that came with this installation.

    ``thorough`` also checks what the first screen doesn't need: hints, attempts, each question under all its draws.
    Raises CourseError with every problem found.
    """
    course, problems = read_lessons(folder, thorough=thorough)
    if problems:
        raise CourseError(problems)
    return course


def read_lessons(folder: Path | None = None, *, thorough: bool = False) -> tuple[Course, list[Problem]]:
    """The lessons under ``folder`` in which nothing is wrong, and what is wrong in the others.

    Raises CourseError when there is no lesson at all.
    """
    folders = lesson_folders(folder)
    return _read(folders, thorough, folders[0])


def load_lesson(number: int | None, identifier: str | None, folder: Path | None = None) -> Course:
    """A course of one lesson, all that a first screen needs: by number, else by id, else the first.

    Raises KeyError when there is no lesson of that number, and CourseError with what is wrong in it.
    """
    folders = lesson_folders(folder)
    if number is not None:
        chosen = [folder for folder in folders if int(folder.name[:2]) == number]
        if not chosen:
            raise KeyError(number)
    else:
        chosen = [folder for folder in folders if folder.name == identifier] or folders[:1]
    course, problems = _read(chosen, thorough=False, first=folders[0])
    if problems:
        raise CourseError(problems)
    return course


def lesson_folders(folder: Path | None = None) -> list[Path]:
    """The folders of the lessons, in order. Raises CourseError when there is none."""
    root = lessons_folder() if folder is None else folder
    found = sorted(path for path in root.glob("[0-9][0-9]-*") if path.is_dir()) if root.is_dir() else []
    if not found:
        raise CourseError([Problem(root, None, "holds no lesson (a folder such as 05-vector-addition)")])
    return found


def _read(folders: list[Path], thorough: bool, first: Path) -> tuple[Course, list[Problem]]:
    """The sound lessons in ``folders``; ``first`` is the first of all, which has none before it to ask about."""
    problems: list[Problem] = []
    readers = [_LessonReader(path, problems, thorough, opens=path != first) for path in folders]
    lessons = [lesson for reader in readers if (lesson := reader.read()) is not None]
    problems.extend(_repeated_exercises(lessons))
    if thorough:
        problems.extend(_unknown_exercises(lessons))
    faulty = {folder for folder in folders for problem in problems if problem.path.is_relative_to(folder)}
    sound = [lesson for lesson in lessons if lesson.folder not in faulty]
    return Course(tuple(sorted(sound, key=lambda lesson: lesson.number))), problems


def _repeated_exercises(lessons: list[Lesson]) -> Iterator[Problem]:
    """An exercise is named alone, ``tritontui check vector_add``: its id belongs to one step of the whole course."""
    seen: dict[str, Path] = {}
    for lesson in lessons:
        for step in lesson.steps:
            if step.exercise is None:
                continue
            if step.exercise.id in seen:
                other = seen[step.exercise.id].name
                yield Problem(step.exercise.folder, None, f"the exercise '{step.exercise.id}' is in {other} too")
            seen[step.exercise.id] = lesson.folder


def _unknown_exercises(lessons: list[Lesson]) -> Iterator[Problem]:
    """An experiment may time what the learner wrote elsewhere in the course."""
    known = {step.exercise.id for lesson in lessons for step in lesson.steps if step.exercise is not None}
    for lesson in lessons:
        for step in lesson.steps:
            for used in step.experiment.uses if step.experiment else ():
                if used not in known:
                    path = lesson.folder / "lesson.toml"
                    yield Problem(path, None, f"the step '{step.id}' uses '{used}', which is no exercise")


class _LessonReader:
    """Reads one folder, noting what is wrong and going on."""

    def __init__(self, folder: Path, problems: list[Problem], thorough: bool, opens: bool) -> None:
        self.folder = folder
        self.problems = problems
        self.thorough = thorough
        self.opens = opens

    def read(self) -> Lesson | None:
        table = read_toml(self.folder / "lesson.toml", self.problems)
        self.words = Words(self.folder, self.problems)
        self.questions = QuestionReader(self.words, self.thorough)
        if table is None:
            return None
        number = table.whole_number("number")
        match = _FOLDER.fullmatch(self.folder.name)
        if table.has("number") and (match is None or int(match[1]) != number):
            table.fault(f"the folder's name should be the number and a name: {number:02d}-…", "number")
        title = table.text("title")
        outcomes = tuple(self._outcome(entry, number) for entry in table.tables("outcomes"))
        steps = tuple(self._step(entry, outcomes) for entry in table.tables("steps"))
        closing = self.questions.closing(entry, self.words.roots) if (entry := table.table("closing")) else None
        table.finish()
        self.words.check_order(self.words.roots, [*(step.id for step in steps), *([closing.id] if closing else [])])
        self._check_outcomes_are_reached(table, outcomes, steps)
        first, last = [opening_step()] if self.opens else [], [closing_step()] if closing else []
        return Lesson(self.folder.name, number, title, outcomes, (*first, *steps, *last), self.folder, closing)

    # ------------------------------------------------------------ parts

    def _outcome(self, table: Table, number: int) -> Outcome:
        identifier = table.string("id")
        if not re.fullmatch(rf"{number}\.\d+", identifier):
            table.fault(f"an outcome's id is the lesson's number, a point and its own: {number}.1", "id")
        outcome = Outcome(identifier, {language: table.string(language) for language in LANGUAGES})
        table.finish()
        return outcome

    def _step(self, table: Table, outcomes: tuple[Outcome, ...]) -> Step:
        identifier = table.string("id")
        kind = cast(StepKind, table.one_of("kind", DECLARED) or "read")
        reached = table.strings("outcomes", [])
        for outcome in reached:
            if outcome not in {known.id for known in outcomes}:
                table.fault(f"'{outcome}' is no outcome of this lesson", "outcomes")
        if identifier in RESERVED:
            table.fault(f"'{identifier}' is the id of a step that every lesson has", "id")
        sections = self.words.sections(self.words.roots, identifier, "step", table)
        title, body = titles(sections), bodies(sections)
        experiment = self._experiment(table, title) if kind == "measure" else None
        questions = tuple(
            self.questions.read(entry, sections, recall=kind in RECALLED, experiment=experiment)
            for entry in table.tables("questions", needed=False)
        )
        rungs = tuple(starmap(Rung, table.numbers("rungs").items())) if kind == "evidence" else ()
        if kind == "evidence":
            questions = (self.questions.standing(rungs, sections, table), *questions)
        figures = self._figures(table, sections, questions, experiment) if experiment else {}
        before = [question.id for question in questions if not question.after]
        after = [question.id for question in questions if question.after]
        doing, skipped = (
            bodies(self.words.sections(sections, name, "text", table)) if kind == "do" else {}
            for name in (DOING, SKIPPED)
        )
        extra = [FIGURES] if figures else [DOING, SKIPPED] if kind == "do" else []
        self.words.check_order(sections, [*before, *extra, *after])
        if kind == "predict" and not questions:
            table.fault("a predict step needs a question")
        changes = table.whole_number("changes", 0) if kind == "explore" else 0
        if kind == "explore" and (changes > 0) == bool(questions):
            table.fault("an explore step is completed by questions, or by 'changes', the turns of a knob that it takes")
        exercise = None if kind == "measure" else self._exercise(table, kind, title)
        if exercise is not None and exercise.cold and questions:
            table.fault("a step judged cold asks what the verdict will be, and nothing else", "cold")
        task = cast(Task, table.one_of("task", get_args(Task))) if kind == "do" else None
        step = Step(
            identifier,
            kind,
            title,
            body,
            reached,
            exercise,
            questions,
            changes,
            experiment,
            task,
            doing,
            skipped,
            figures,
            rungs,
        )
        table.finish()
        return step

    def _experiment(self, table: Table, title: Text) -> Experiment | None:
        from tritontui.course.experiments import read_experiment

        experiment = read_experiment(table, self.folder, title)
        if self.thorough and experiment is not None:
            try:
                experiment.recorded  # noqa: B018  # read now, for what is wrong in it
            except CourseError as error:
                self.problems.extend(error.problems)
                return None
        return experiment

    def _figures(
        self,
        table: Table,
        sections: dict[Language, Section],
        questions: tuple[Question, ...],
        experiment: Experiment,
    ) -> Text:
        """What a measure step says with its figures; and its questions are checked together."""
        from tritontui.course.experiments import faults_of_questions, faults_of_text

        for fault in faults_of_questions(questions):
            table.fault(fault, "questions")
        if not any(section.find(FIGURES) for section in sections.values()):
            return {}
        text = bodies(self.words.sections(sections, FIGURES, "text", table))
        for fault in faults_of_text(text, experiment):
            table.fault(fault)
        return text

    def _exercise(self, table: Table, kind: StepKind, title: Text) -> ExerciseFolder | None:
        identifier = table.string("exercise", "")
        if not identifier:
            if kind in NEEDS_EXERCISE:
                table.fault(f"a {kind} step needs an exercise")
            return None
        folder = self.folder / "exercises" / identifier
        if not folder.is_dir():
            table.fault(f"there is no folder exercises/{identifier}", "exercise")
        elif self.thorough:
            self.problems.extend(exercises.check_files(folder, kind))
        if kind == "fix":
            most = table.whole_number("max_changed_lines", MAX_CHANGED_LINES)
            if most < 1:
                table.fault("at least one line must be allowed to change", "max_changed_lines")
            return ExerciseFolder(identifier, folder, title, kind, max_changed_lines=most)
        if kind != "explore":
            return ExerciseFolder(identifier, folder, title, kind, cold=kind == "code" and table.flag("cold"))
        faults = table.strings("faults", [])
        return ExerciseFolder(identifier, folder, title, kind, self._knobs(table), faults)

    @staticmethod
    def _knobs(table: Table) -> tuple[Knob, ...]:
        knobs = []
        for name, entry in table.named_tables("knobs"):
            values = entry.choices("values")
            knobs.append(Knob(name, values, entry.one_of_choices("start", values)))
            if not name.isidentifier():
                entry.fault(f"a knob is called as a variable is: '{name}' can't be")
            entry.finish()
        if not knobs:
            table.fault("an explore step needs knobs", "knobs")
        return tuple(knobs)

    # ------------------------------------------------------------ checks

    @staticmethod
    def _check_outcomes_are_reached(table: Table, outcomes: tuple[Outcome, ...], steps: tuple[Step, ...]) -> None:
        active = {outcome for step in steps if step.kind != "read" for outcome in step.outcomes}
        for entry, outcome in zip(table.tables("outcomes", needed=False), outcomes, strict=True):
            if outcome.id not in active:
                entry.fault(f"no step lets the learner do '{outcome.id}'", "id")
