"""Lessons as plain data: what a folder under ``lessons/`` holds once it is read. No Textual, no torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from tritontui.course.figures import AxisValue, Figures

Language = Literal["en", "it"]
LANGUAGES: tuple[Language, ...] = ("en", "it")

Text = dict[Language, str]
"""The same text in every language."""

StepKind = Literal["opening", "read", "explore", "predict", "code", "fix", "measure", "do", "evidence", "closing"]
"""A lesson's first step, ``opening``, makes itself; its last, ``closing``, comes from ``[closing]``."""
DECLARED: tuple[StepKind, ...] = ("read", "explore", "predict", "code", "fix", "measure", "do", "evidence")
"""Kinds that ``lesson.toml`` gives to a step."""
Task = Literal["another-python", "mended-python", "own-trace"]
"""``another-python``: make a Python, other than the application's own, in which the doctor finds all well.
``mended-python``: mend an environment that ``tritontui doctor --break`` has made, until the doctor finds all well.
``own-trace``: write a script in whose launches ``tritontui trace`` finds no error."""
Topic = Literal["grid", "offsets", "bytes", "figures", "verdicts", "reasons"]
"""What a question is about, for the scoreboard."""
QuestionKind = Literal["choice", "number", "order", "match"]


NOTHING: Mapping[Any, Any] = MappingProxyType({})


class Outcome(NamedTuple):
    """Something the learner can do afterwards; ``id`` as in ``5.1``."""

    id: str
    text: Text


class Option(NamedTuple):
    """One option of a choice, one item of an order, one pair of a match, or one known wrong number."""

    id: str
    text: Text
    explanation: Text
    """Why this answer is wrong (or right); Markdown."""
    value: str | None = None
    """number: an expression over the question's variables; match: id of the right partner (an option without value)."""


class Question(NamedTuple):
    id: str
    kind: QuestionKind
    prompt: Text
    options: tuple[Option, ...]
    answer: str | tuple[str, ...]
    """choice: an option's id; number: an expression; order: ids in the right order; match: () (options pair up)."""
    explanation: Text
    """Shown with the right answer."""
    variables: Mapping[str, tuple[int, ...]] = NOTHING
    """Numbers redrawn after an error. ``{n}``, or an expression such as ``{cdiv(n, BLOCK)}``, in any text of the
    question stands for its value (``course.questions.Drawn.say``)."""
    topic: Topic = "reasons"
    recall: bool = True
    """Whether it can be asked away from its step, when a later lesson opens."""
    when: Mapping[str, str] = NOTHING
    """choice: in the place of ``answer``, for each option the condition on the figures under which it is right."""
    tolerance: float = 0.0
    """number: a figure is met when the answer differs by no more than this share of it."""
    after: bool = False
    """measure: asked when the figures are there, and answered from them."""
    prediction: bool = False
    """measure: committed before there is any figure, and judged by them, once: no answer is wrong before."""

    def option(self, identifier: str) -> Option:
        """The option with that id; KeyError when there is none."""
        for option in self.options:
            if option.id == identifier:
                return option
        raise KeyError(identifier)


class Attempt(NamedTuple):
    """A typical wrong solution, with the diagnosis the learner must be given and where."""

    path: Path
    diagnosis: str
    line: int | None


KnobValue = int | float | str


class Knob(NamedTuple):
    """One thing to turn while exploring: the case's ``values[name]`` is one of ``values``."""

    name: str
    values: tuple[KnobValue, ...]
    start: KnobValue


class Break(NamedTuple):
    """One change to make to a kernel that passes, and the question what it will show.

    The question is a choice; its options are ids of findings, or ``pass``, and its answer is what the judge says.
    """

    question: Question
    replaces: str
    """A piece of ``solution.py``, which stands in it once."""
    by: str

    @property
    def id(self) -> str:
        return self.question.id

    def apply(self, solution: str) -> str:
        """The solution with the change made."""
        return solution.replace(self.replaces, self.by)


@dataclass(frozen=True)
class ExerciseFolder:
    """The files of one exercise; ``exercise.py`` itself is only ever imported by a runner.

    Hints and attempts are read from their files when first asked for: the first screen needs neither.
    """

    id: str
    folder: Path
    title: Text
    kind: StepKind = "code"
    """Of its step. What is explored has no reference, and no verdict."""
    knobs: tuple[Knob, ...] = ()
    faults: tuple[str, ...] = ()
    """explore: ids of findings that the starter shows on purpose, whatever the knobs say."""
    max_changed_lines: int | None = None
    """fix: so many lines of the starter may be changed."""
    cold: bool = False
    """code: nothing is judged before the learner has said what the verdict will be, and asked for it."""

    @property
    def judged(self) -> bool:
        """Whether a text of it is right or wrong."""
        return self.kind != "explore"

    @property
    def start(self) -> dict[str, KnobValue]:
        """Every knob where it begins."""
        return {knob.name: knob.start for knob in self.knobs}

    @property
    def starter(self) -> Path:
        return self.folder / "starter.py"

    @property
    def solution(self) -> Path:
        return self.folder / "solution.py"

    @cached_property
    def starter_text(self) -> str:
        return self.starter.read_text(encoding="utf-8")

    @cached_property
    def message(self) -> str:
        """fix: the error message as it was met in the wild, from ``message.txt``; empty when there is none."""
        path = self.folder / "message.txt"
        return path.read_text(encoding="utf-8").rstrip("\n") if path.is_file() else ""

    @cached_property
    def hints(self) -> dict[Language, tuple[str, ...]]:
        """Markdown, mildest first, as many in each language. Raises CourseError when a file is at fault."""
        from tritontui.course.exercises import read_hints

        return read_hints(self.folder)

    @cached_property
    def attempts(self) -> tuple[Attempt, ...]:
        """The recorded wrong solutions, by name. Raises CourseError when a marker is at fault."""
        from tritontui.course.exercises import read_attempts

        return read_attempts(self.folder)

    @cached_property
    def breaks(self) -> tuple[Break, ...]:
        """What to break on purpose once it passes, from ``breaks.toml``. Raises CourseError when a file is at fault."""
        from tritontui.course.breaking import read_breaks

        return read_breaks(self.folder)


class Entry(NamedTuple):
    """One thing that an experiment times, at every point of its axes."""

    id: str
    title: Text
    axes: tuple[str, ...]


class Plot(NamedTuple):
    """What is drawn together: series (``course.arithmetic.measured``), or entries under the roofs of the card."""

    show: tuple[str, ...]
    roofline: tuple[str, ...] = ()


@dataclass(frozen=True)
class Experiment:
    """What a measure step times; ``experiment.py`` in its folder, which says how, is only imported by a runner."""

    id: str
    folder: Path
    title: Text
    axes: dict[str, tuple[AxisValue, ...]]
    entries: tuple[Entry, ...]
    plots: tuple[Plot, ...] = ()
    uses: tuple[str, ...] = ()
    """Ids of exercises whose functions are timed as the learner wrote them."""
    axis_titles: Mapping[str, Text] = field(default_factory=dict)
    """What axes are called that have another name for learners than in expressions."""

    def axis_title(self, axis: str, language: Language) -> str:
        """What learners read of an axis."""
        return self.axis_titles[axis][language] if axis in self.axis_titles else axis

    @property
    def grid(self) -> dict[str, dict[str, tuple[AxisValue, ...]]]:
        """By entry the values of its axes."""
        return {entry.id: {axis: self.axes[axis] for axis in entry.axes} for entry in self.entries}

    @property
    def recording(self) -> Path:
        """Where the course's own figures of it are."""
        return self.folder / "recorded.json"

    @cached_property
    def recorded(self) -> Figures | None:
        """The course's own figures; None while nobody has recorded any. Raises CourseError when they are damaged."""
        from tritontui.course.experiments import read_recording

        return read_recording(self)


class Rung(NamedTuple):
    """One of the levels on which a learner may stand."""

    id: str
    lessons: tuple[int, ...]
    """Numbers of those whose outcomes it takes, besides the rungs below it."""


class Step(NamedTuple):
    id: str
    kind: StepKind
    title: Text
    body: Text
    """Markdown."""
    outcomes: tuple[str, ...] = ()
    exercise: ExerciseFolder | None = None
    questions: tuple[Question, ...] = ()
    changes: int = 0
    """explore, without questions: so many turns of a knob complete it."""
    experiment: Experiment | None = None
    task: Task | None = None
    """do: what is to be done outside of the application."""
    doing: Mapping[Language, str] = NOTHING
    """do: how it is done, shown when the questions are answered; Markdown."""
    skipped: Mapping[Language, str] = NOTHING
    """do: what is said to those who can't do it here; Markdown."""
    figures_text: Mapping[Language, str] = NOTHING
    """measure: what is said of the figures once they are there; Markdown, with ``{expressions}`` over them."""
    rungs: tuple[Rung, ...] = ()
    """evidence: from the lowest to the highest; its question's options are these and ``course.evidence.BELOW``."""

    @property
    def question_ids(self) -> frozenset[str]:
        return frozenset(question.id for question in self.questions)


class Lesson(NamedTuple):
    id: str
    """The folder's name, ``05-vector-addition``."""
    number: int
    title: Text
    outcomes: tuple[Outcome, ...]
    steps: tuple[Step, ...]
    folder: Path
    closing: Question | None = None
    """Answered by a guess; the next lesson's opening shows it beside the answer (``explanation``)."""


class Course(NamedTuple):
    lessons: tuple[Lesson, ...]

    def lesson(self, number: int) -> Lesson:
        """The lesson with that number; KeyError when there is none."""
        for lesson in self.lessons:
            if lesson.number == number:
                return lesson
        raise KeyError(number)

    def exercise(self, identifier: str) -> ExerciseFolder:
        """The exercise with that id; KeyError when there is none."""
        exercise = self.place(identifier)[1].exercise
        assert exercise is not None
        return exercise

    @property
    def experiments(self) -> dict[str, tuple[Lesson, Step]]:
        """Every experiment's lesson and step, by its id."""
        return {
            step.experiment.id: (lesson, step)
            for lesson in self.lessons
            for step in lesson.steps
            if step.experiment is not None
        }

    def place(self, exercise: str) -> tuple[Lesson, Step]:
        """Lesson and step of the exercise with that id; KeyError when there is none."""
        for lesson in self.lessons:
            for step in lesson.steps:
                if step.exercise is not None and step.exercise.id == exercise:
                    return lesson, step
        raise KeyError(exercise)
