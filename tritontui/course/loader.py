"""Reads lessons: one folder ``NN-name`` each; ``lesson.toml`` has the structure, ``en.md`` and ``it.md`` the words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast, get_args

from tritontui.course import exercises, markdown
from tritontui.course.arithmetic import ExpressionError, names
from tritontui.course.faults import CourseError, Problem
from tritontui.course.markdown import Section
from tritontui.course.model import (
    LANGUAGES,
    Course,
    ExerciseFolder,
    Knob,
    Language,
    Lesson,
    Option,
    Outcome,
    Question,
    QuestionKind,
    Step,
    StepKind,
    Text,
)
from tritontui.course.questions import OTHER, all_draws, faults, fill
from tritontui.course.structure import Table, read_toml

__all__ = ["CourseError", "Problem", "lesson_folders", "lessons_folder", "load_course", "load_lesson"]

ANSWER = "answer"
"""Id of the section that holds what is said with the right answer, where no option can hold it."""

MAX_CHANGED_LINES = 3
"""In which a fault is mended, unless its step says otherwise."""

NEEDS_EXERCISE: tuple[StepKind, ...] = ("explore", "code", "fix")

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
    return _read(lesson_folders(folder), thorough)


def load_lesson(number: int | None, identifier: str | None) -> Course:
    """A course of one lesson, all that a first screen needs: by number, else by id, else the first.

    Raises KeyError when there is no lesson of that number, and CourseError with what is wrong in it.
    """
    folders = lesson_folders()
    if number is not None:
        chosen = [folder for folder in folders if int(folder.name[:2]) == number]
        if not chosen:
            raise KeyError(number)
    else:
        chosen = [folder for folder in folders if folder.name == identifier] or folders[:1]
    return _read(chosen, thorough=False)


def lesson_folders(folder: Path | None = None) -> list[Path]:
    """The folders of the lessons, in order. Raises CourseError when there is none."""
    root = lessons_folder() if folder is None else folder
    found = sorted(path for path in root.glob("[0-9][0-9]-*") if path.is_dir()) if root.is_dir() else []
    if not found:
        raise CourseError([Problem(root, None, "holds no lesson (a folder such as 05-vector-addition)")])
    return found


def _read(folders: list[Path], thorough: bool) -> Course:
    problems: list[Problem] = []
    readers = [_LessonReader(path, problems, thorough) for path in folders]
    lessons = [lesson for reader in readers if (lesson := reader.read()) is not None]
    problems.extend(_repeated_exercises(lessons))
    if problems:
        raise CourseError(problems)
    return Course(tuple(sorted(lessons, key=lambda lesson: lesson.number)))


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


class _LessonReader:
    """Reads one folder, noting what is wrong and going on."""

    def __init__(self, folder: Path, problems: list[Problem], thorough: bool) -> None:
        self.folder = folder
        self.problems = problems
        self.thorough = thorough
        self.texts: dict[Language, Section] = {}

    def read(self) -> Lesson | None:
        table = read_toml(self.folder / "lesson.toml", self.problems)
        self.texts = {language: self._text(language) for language in LANGUAGES}
        if table is None:
            return None
        number = table.whole_number("number")
        match = _FOLDER.fullmatch(self.folder.name)
        if match is None or int(match[1]) != number:
            table.fault(f"the folder's name should be the number and a name: {number:02d}-…", "number")
        title = table.text("title")
        outcomes = tuple(self._outcome(entry, number) for entry in table.tables("outcomes"))
        steps = tuple(self._step(entry, outcomes) for entry in table.tables("steps"))
        table.finish()
        self._check_order(self.texts, [step.id for step in steps])
        self._check_outcomes_are_reached(table, outcomes, steps)
        return Lesson(self.folder.name, number, title, outcomes, steps, self.folder)

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
        kind = cast(StepKind, table.one_of("kind", get_args(StepKind)) or "read")
        reached = table.strings("outcomes", [])
        for outcome in reached:
            if outcome not in {known.id for known in outcomes}:
                table.fault(f"'{outcome}' is no outcome of this lesson", "outcomes")
        sections = self._sections(self.texts, identifier, "step", table)
        title: Text = {language: section.title for language, section in sections.items()}
        body: Text = {language: section.text for language, section in sections.items()}
        questions = tuple(self._question(entry, sections) for entry in table.tables("questions", needed=False))
        self._check_order(sections, [question.id for question in questions])
        if kind == "predict" and not questions:
            table.fault("a predict step needs a question")
        changes = table.whole_number("changes", 0) if kind == "explore" else 0
        if kind == "explore" and (changes > 0) == bool(questions):
            table.fault("an explore step is completed by questions, or by 'changes', the turns of a knob that it takes")
        step = Step(identifier, kind, title, body, reached, self._exercise(table, kind, title), questions, changes)
        table.finish()
        return step

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
            return ExerciseFolder(identifier, folder, title, kind)
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

    def _question(self, table: Table, steps: dict[Language, Section]) -> Question:
        identifier = table.string("id")
        kind = cast(QuestionKind, table.one_of("kind", get_args(QuestionKind)) or "choice")
        sections = self._sections(steps, identifier, "question", table)
        values, answer = self._answers(table, kind)
        variables = table.numbers("variables")
        table.finish()
        wanted = list(values) if kind == "choice" else [*values, ANSWER]
        partners = [option for option, value in values.items() if kind == "match" and value is None]
        texts = {option: self._sections(sections, option, "option", table) for option in wanted}
        self._check_order(sections, wanted, ordered=False)
        self._check_explained([texts[option] for option in wanted if option not in partners])
        options = tuple(
            Option(option, _titles(texts[option]), _bodies(texts[option]), value) for option, value in values.items()
        )
        explained = texts.get(cast(str, answer) if kind == "choice" else ANSWER, {})
        prompt: Text = {language: _prompt(section) for language, section in sections.items()}
        question = Question(identifier, kind, prompt, options, answer, _bodies(explained), variables)
        self._check_arithmetic(question, table, sections)
        return question

    def _answers(self, table: Table, kind: QuestionKind) -> tuple[dict[str, str | None], str | tuple[str, ...]]:
        """Options by id with their values, and the right answer."""
        values: dict[str, str | None]
        if kind == "number":
            values = {**table.mapping("wrong", {}), OTHER: None}
            return values, table.string("answer")
        if kind == "order":
            items = table.strings("answer")
            return dict.fromkeys(items), items
        if kind == "match":
            pairs = table.mapping("pairs")
            values = {**pairs, **dict.fromkeys(pairs.values())}
            return values, ()
        values = dict.fromkeys(table.strings("options"))
        answer = table.string("answer")
        if answer not in values:
            table.fault(f"the answer '{answer}' is none of the options", "answer")
        return values, answer

    # ------------------------------------------------------------ words

    def _text(self, language: Language) -> Section:
        path = self.folder / f"{language}.md"
        try:
            root = markdown.split(path.read_text(encoding="utf-8"))
        except OSError:
            self.problems.append(Problem(path, None, "is missing"))
            return Section("", 0, "", 1)
        except UnicodeDecodeError as error:
            self.problems.append(Problem(path, None, f"is not UTF-8: {error.reason}"))
            return Section("", 0, "", 1)
        if root.text.strip():
            self.problems.append(Problem(path, 1, "text before the first '# Title {#step}'"))
        elif not root.sections:
            self.problems.append(Problem(path, 1, "holds no step: each begins with '# Title {#step}'"))
        return root

    def _sections(
        self, parents: dict[Language, Section], identifier: str, what: str, table: Table
    ) -> dict[Language, Section]:
        """The section ``identifier`` in every language; an empty one, noted, where it is missing."""
        found = {}
        for language, parent in parents.items():
            section = parent.find(identifier)
            if section is None:
                if parent.sections or parent.level:  # a missing or empty file is reported once, not for each step
                    self._note(language, parent.line, f"the {what} '{identifier}' has no text here")
                section = Section(identifier, parent.level + 1, "", parent.line)
            elif not section.title:
                self._note(language, section.line, f"the {what} '{identifier}' needs a heading")
            found[language] = section
        if self._differ_in_code(found):
            counts = ", ".join(f"{language}: {section.fences}" for language, section in found.items())
            table.fault(f"the {what} '{identifier}' differs in code blocks ({counts})", "id")
        return found

    @staticmethod
    def _differ_in_code(sections: dict[Language, Section]) -> bool:
        return len({section.fences for section in sections.values() if section.title}) > 1

    def _check_order(self, parents: dict[Language, Section], wanted: list[str], ordered: bool = True) -> None:
        """No section that the structure doesn't know, none twice, and (steps, questions) the structure's own order."""
        for language, parent in parents.items():
            seen: list[str] = []
            for section in parent.sections:
                if not section.id:
                    self._note(language, section.line, f"the heading '{section.title}' has no {{#id}}")
                elif section.id not in wanted:
                    self._note(language, section.line, f"'{section.id}' is not in lesson.toml at this place")
                elif section.id in seen:
                    self._note(language, section.line, f"'{section.id}' stands here twice")
                seen.append(section.id)
            known = [identifier for identifier in seen if identifier in wanted]
            if ordered and known != [identifier for identifier in wanted if identifier in known]:
                self._note(language, parent.line, "the order differs from lesson.toml's: " + ", ".join(wanted))

    def _check_explained(self, options: list[dict[Language, Section]]) -> None:
        for sections in options:
            for language, section in sections.items():
                if section.title and not section.text:
                    self._note(language, section.line, f"'{section.id}' has no explanation")

    def _note(self, language: Language, line: int, message: str) -> None:
        self.problems.append(Problem(self.folder / f"{language}.md", line, message))

    # ------------------------------------------------------------ checks

    def _check_arithmetic(self, question: Question, table: Table, sections: dict[Language, Section]) -> None:
        """Expressions over known variables only; with ``thorough`` every text and number under every draw."""
        key = "answer"
        try:
            for key, expression in _expressions(question):
                unknown = names(expression) - question.variables.keys()
                if unknown:
                    table.fault(f"'{expression}' reads {', '.join(sorted(unknown))}, which is no variable here", key)
                    return
        except ExpressionError as error:
            table.fault(str(error), key)
            return
        if not self.thorough:
            return
        lines = len(self.problems)
        for language, section in sections.items():
            for part in (section, *section.sections):
                try:
                    fill(f"{part.title}\n{part.text}", all_draws(question)[0])
                except ExpressionError as error:
                    self._note(language, part.line, str(error))
        if lines == len(self.problems):
            for fault in faults(question):
                table.fault(fault, "variables")

    @staticmethod
    def _check_outcomes_are_reached(table: Table, outcomes: tuple[Outcome, ...], steps: tuple[Step, ...]) -> None:
        active = {outcome for step in steps if step.kind != "read" for outcome in step.outcomes}
        for entry, outcome in zip(table.tables("outcomes"), outcomes, strict=True):
            if outcome.id not in active:
                entry.fault(f"no step lets the learner do '{outcome.id}'", "id")


def _expressions(question: Question) -> list[tuple[str, str]]:
    """The key in ``lesson.toml`` and the expression, for every expression of a number question."""
    if question.kind != "number":
        return []
    wrong = [("wrong", option.value) for option in question.options if option.value is not None]
    return [("answer", cast(str, question.answer)), *wrong]


def _prompt(section: Section) -> str:
    return f"{section.title}\n\n{section.text}".strip()


def _titles(sections: dict[Language, Section]) -> Text:
    return {language: section.title for language, section in sections.items()}


def _bodies(sections: dict[Language, Any]) -> Text:
    return {language: section.text for language, section in sections.items()}
