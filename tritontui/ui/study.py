"""One learner at work: the place in the course, the text of the exercise, what is done. No widgets, no event loop.

Reading happens at once; every write goes to a thread, for home directories may be slow.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from datetime import date, datetime, time
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from tritontui.course.evidence import standing
from tritontui.course.model import ExerciseFolder, Experiment, Lesson, Question, Step
from tritontui.course.opening import CLOSING, recalled
from tritontui.course.progress import (
    DONE_OUTSIDE,
    ExperimentRecord,
    FiguresSource,
    MeasurementRecord,
    Progress,
    reached,
)
from tritontui.course.storage import StorageError
from tritontui.course.work import Work
from tritontui.ui.active_time import ActiveTime
from tritontui.ui.controller import Seal
from tritontui.ui.desk import Desk, Place
from tritontui.ui.saver import Saved, Saver
from tritontui.ui.status import RECORDED, SKIPPED

if TYPE_CHECKING:
    from tritontui.course.figures import Figures
    from tritontui.course.scoreboard import Scoreboard
    from tritontui.engine.messages import Measurement
    from tritontui.engine.report import Report


TIME_WRITTEN_S = 30.0
"""Time that a machine that fails may take with it."""
COLD = "cold"
"""Id of the question what the verdict on a cold exercise will be."""


class Prediction(NamedTuple):
    """What the learner said beforehand, and how it came out."""

    given: str
    confidence: int | None = None
    """Percent."""
    correct: bool | None = None
    """None: not known yet."""
    figure: str | None = None
    """What was right."""
    draw: Mapping[str, int] = MappingProxyType({})
    """The question's variables, as they were drawn."""
    source: FiguresSource | None = None


class Study:
    """``saved`` and ``failed`` are called on other threads: with each save, and with each write that didn't work."""

    def __init__(
        self,
        desk: Desk,
        work: Work,
        progress: Progress,
        *,
        saved: Callable[[Saved], None],
        failed: Callable[[StorageError], None],
        today: date | None = None,
    ) -> None:
        self.day = today or date.today()
        """Whose opening questions are asked: those of the day on which the learner sat down."""
        self.desk = desk
        self.work = work
        self.progress = progress
        self.saver = Saver(work, saved)
        self._hints: dict[str, int] = {}
        self._failed = failed
        self._writer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="progress")
        self._done: dict[str, set[str]] = {}
        self._answered: dict[tuple[str, str], set[str]] = {}
        self._predictions: dict[str, dict[tuple[str, str], Prediction]] = {}
        self._recalled: dict[str, tuple[Question, ...]] = {}
        self._passed: set[str] = set()
        self._measurements: dict[str, list[MeasurementRecord]] = {}
        self._experiments: set[str] | None = None
        self._skipped: set[tuple[str, str]] = set()
        self._turns = 0
        """Of knobs, in this step."""
        self._settings: dict[str, str | None] = {}
        self._active = ActiveTime()
        self._spent: dict[str, dict[str, float]] = {}
        self._unwritten = 0.0
        """Seconds of this step that aren't in the progress file yet."""

    # ------------------------------------------------------------ the place

    @property
    def lesson(self) -> Lesson:
        return self.desk.lesson

    @property
    def step(self) -> Step:
        return self.desk.step

    @property
    def exercise(self) -> ExerciseFolder | None:
        return self.desk.exercise

    def go(self, place: Place) -> None:
        """To that step; a step that is only to be read is done by being left for a later one."""
        if place > self.desk.place and not self.step.questions and self.step.kind == "read":
            self.mark_done()
        self._count_time(key=False)
        self._write_time()
        self.desk.place = place
        self._turns = 0
        self.remember_place()

    def remember_place(self) -> None:
        """So that the next start opens here."""
        self._write(self.progress.set_position, self.lesson.id, self.step.id)

    # ------------------------------------------------------------ the text

    def text(self, exercise: ExerciseFolder) -> str:
        """The learner's text, or the starter's. Raises StorageError."""
        return self.work.open(exercise)

    def keep_version(self, exercise: ExerciseFolder) -> None:
        """The text as it stands passed: keep it among the versions."""
        self._write(self.work.keep, exercise.id)

    # ------------------------------------------------------------ what is done

    def done(self, lesson: Lesson) -> set[str]:
        """Ids of the steps of ``lesson`` that are done."""
        if lesson.id not in self._done:
            self._done[lesson.id] = set(self._read(self.progress.done, frozenset(), lesson.id))
        return self._done[lesson.id]

    def is_done(self, step: Step) -> bool:
        """Whether a step of this lesson is done."""
        return step.id in self.done(self.lesson)

    def mark_done(self) -> bool:
        """This step is done; False when it was already."""
        done = self.done(self.lesson)
        if self.step.id in done:
            return False
        done.add(self.step.id)
        self._write(self.progress.mark_done, self.lesson.id, self.step.id)
        return True

    def note_turn(self) -> bool:
        """A knob was turned; True when that completes this step."""
        self._turns += 1
        return 0 < self.step.changes <= self._turns and self.mark_done()

    def passed(self, exercise: ExerciseFolder) -> bool:
        """Whether the exercise has ever been passed: the solution may be shown then."""
        if exercise.id not in self._passed and self._read(self.progress.passed, False, exercise.id):
            self._passed.add(exercise.id)
        return exercise.id in self._passed

    def answered(self, step: Step | None = None) -> set[str]:
        """Ids of the questions of this step (or of another of this lesson) that were answered rightly."""
        step = step or self.step
        if (self.lesson.id, step.id) not in self._answered:
            since = datetime.combine(self.day, time()).timestamp() if step.kind == "opening" else 0.0
            answered = self._read(self.progress.answered, frozenset(), self.lesson.id, step.id, since)
            self._answered[self.lesson.id, step.id] = set(answered)
        return self._answered[self.lesson.id, step.id]

    def record_answer(self, question: str, given: str, correct: bool) -> None:
        """An answer to one of this step's questions."""
        if correct:
            self.answered().add(question)
        self._write(self.progress.record_answer, self.lesson.id, self.step.id, question, given, correct)

    def seal(self, exercise: ExerciseFolder | None) -> Seal:
        """What the exercise's results wait for."""
        step = next((step for step in self.lesson.steps if exercise is not None and step.exercise == exercise), None)
        if step is None or exercise is None:
            return ""
        if step.kind == "fix" and not self.answered(step).issuperset(step.question_ids):
            return "questions"
        cold = exercise.cold and self.prediction(COLD, step) is None and not self.passed(exercise)
        return "prediction" if cold else ""

    def settle(self) -> bool:
        """Mark this step done if all that it asks for is there; True when that is new."""
        step, exercise = self.step, self.step.exercise
        passes = step.kind not in ("code", "fix") or (exercise is not None and self.passed(exercise))
        if step.kind == "do" and self.done_outside(step) is None and not self.is_skipped(self.lesson, step):
            return False
        predicted = {question.id for question in self.questions if question.prediction}
        if any((found := self.prediction(question)) is None or found.figure is None for question in predicted):
            return False
        asked = {question.id for question in self.questions} - predicted
        return passes and self.answered().issuperset(asked) and self.mark_done()

    # ------------------------------------------------------------ before and after a lesson, and beforehand

    @property
    def questions(self) -> tuple[Question, ...]:
        """What this step asks; an opening, what the day has drawn for it from the lessons before."""
        if self.step.kind != "opening":
            return self.step.questions
        lesson = self.lesson
        if lesson.id not in self._recalled:
            self._recalled[lesson.id] = tuple(recalled(self.desk.course, lesson, self._learner(), self.day))
        return self._recalled[lesson.id]

    def _learner(self) -> str:
        """A number of this learner's own, so that no two get the same questions in a room."""
        known: str | None = self._read(self.progress.setting, None, "learner")
        if known is None:
            known = secrets.token_hex(4)
            self.set_setting("learner", known)
        return known

    def prediction(self, question: str, step: Step | None = None, lesson: Lesson | None = None) -> Prediction | None:
        """The newest prediction on that question of a step; None before there is one."""
        return self._predicted(lesson or self.lesson).get(((step or self.step).id, question))

    def guess(self, lesson: Lesson) -> Prediction | None:
        """The learner's guess at the question with which ``lesson`` closes."""
        return self._predicted(lesson).get((CLOSING, CLOSING))

    def predict(
        self, question: str, given: str, confidence: int | None = None, draw: Mapping[str, int] | None = None
    ) -> None:
        """The learner commits to what they expect, in this step."""
        lesson, step, drawn = self.lesson, self.step, dict(draw or {})
        self._predicted(lesson)[step.id, question] = Prediction(given, confidence, draw=drawn)
        self._write(self.progress.commit_prediction, lesson.id, step.id, question, given, drawn, confidence)

    def judge(self, question: str, figure: str) -> Prediction | None:
        """It came out as ``figure``: the prediction judged by it; None when there is none, or it was judged already."""
        lesson, step = self.lesson, self.step
        before = self.prediction(question)
        if before is None or before.correct is not None:
            return None
        judged = before._replace(correct=before.given == figure, figure=figure)
        self._predicted(lesson)[step.id, question] = judged
        self._write(self._judge, lesson.id, step.id, question, judged.correct, figure)
        return judged

    def _judge(self, lesson: str, step: str, question: str, correct: bool, figure: str) -> None:
        self.progress.judge_prediction(
            lesson, step, question, correct=correct, figure=figure, distance=None, source="judged"
        )

    def standing(self) -> str:
        """On which of this step's rungs the learner stands, by all that was done: its id, or ``evidence.BELOW``."""
        return standing(self.step.rungs, self.desk.course, self.reached())

    def reached(self) -> frozenset[str]:
        """Ids of the outcomes that were reached, in the whole course."""
        lessons = self.desk.course.lessons
        return frozenset(outcome for lesson in lessons for outcome in reached(lesson, self.done(lesson)))

    def written(self) -> None:
        """Wait until what was said so far is on the disk: not on the event loop."""
        self._writer.submit(lambda: None).result()

    def scoreboard(self) -> Scoreboard:
        """How often the learner's predictions were right, over the whole course."""
        from tritontui.course.scoreboard import scoreboard

        answers = self._read(self.progress.answers, [])
        return scoreboard(self.desk.course, answers, self._read(self.progress.predictions, []))

    def _predicted(self, lesson: Lesson) -> dict[tuple[str, str], Prediction]:
        if lesson.id not in self._predictions:
            self._predictions[lesson.id] = {
                (found.step, found.question): Prediction(
                    found.given, found.confidence, found.correct, found.figure, found.draw, found.source
                )
                for found in self._read(self.progress.predictions, [], lesson.id)
            }
        return self._predictions[lesson.id]

    # ------------------------------------------------------------ what is done outside

    def done_outside(self, step: Step) -> str | None:
        """With what a do step was done: a Python, a script. None: it wasn't yet, or it is another kind of step."""
        if step.task is None:
            return None
        found: str | None = self._read(self.progress.setting, None, DONE_OUTSIDE[step.task])
        return found

    def skip(self) -> None:
        """This step can't be done here: it counts, and its badge says how."""
        self.set_setting(f"skipped/{self.lesson.id}/{self.step.id}", "yes")
        self._skipped.add((self.lesson.id, self.step.id))
        self.settle()

    def is_skipped(self, lesson: Lesson, step: Step) -> bool:
        """Whether a do step counts although it wasn't done; doing it later makes it whole."""
        if step.kind != "do":
            return False
        if self.done_outside(step) is not None:
            return False
        known = (lesson.id, step.id) in self._skipped
        return known or self._read(self.progress.setting, None, f"skipped/{lesson.id}/{step.id}") is not None

    # ------------------------------------------------------------ experiments

    def predictions(self) -> dict[str, Prediction]:
        """The newest of this step, by question."""
        return {
            question: found for (step, question), found in self._predicted(self.lesson).items() if step == self.step.id
        }

    def figures_to_show(self) -> tuple[Figures, FiguresSource] | None:
        """Of this step's experiment: the learner's own, else the recorded ones once the learner has looked at them."""
        experiment = self.step.experiment
        if experiment is None:
            return None
        from tritontui.course.figures import FiguresError, read_figures  # not for the first frame

        own: ExperimentRecord | None = self._read(self.progress.experiment, None, experiment.id)
        if own is not None:
            with suppress(FiguresError):
                figures = read_figures(own.figures)
                if figures.matches(experiment.grid):
                    return figures, own.source
        seen = any(prediction.source == "recorded" for prediction in self.predictions().values())
        return (experiment.recorded, "recorded") if seen and experiment.recorded is not None else None

    def record_experiment(self, figures: Figures) -> None:
        """The learner has measured; the step's badge is filled by that."""
        self._experimented().add(figures.experiment)
        self._write(
            self.progress.record_experiment,
            figures.experiment,
            figures.machine.gpu,
            "measured",
            figures.as_text(),
        )

    def record_outcome(
        self, question: str, *, correct: bool, figure: str, distance: float | None, source: FiguresSource
    ) -> None:
        """What the figures said to a prediction of this step."""
        lesson, step = self.lesson, self.step
        before = self.prediction(question)
        if before is None or (before.figure, before.source) == (figure, source):
            return
        judged = before._replace(correct=correct, figure=figure, source=source)
        self._predicted(lesson)[step.id, question] = judged
        judge = partial(
            self.progress.judge_prediction, correct=correct, figure=figure, distance=distance, source=source
        )
        self._write(judge, lesson.id, step.id, question)

    def own_texts(self, experiment: Experiment, *, solutions: bool) -> tuple[dict[str, str], tuple[str, ...]]:
        """Texts of the exercises that ``experiment`` uses, by id: the learner's where it has passed, else a solution.

        ``solutions``: no text of the learner's. Also the ids of those that aren't. Raises StorageError.
        """
        self.saver.flush()
        texts, lent = {}, []
        for identifier in experiment.uses:
            exercise = self.desk.course.exercise(identifier)
            own = self.work.read(identifier) if self.passed(exercise) and not solutions else None
            texts[identifier] = exercise.solution.read_text(encoding="utf-8") if own is None else own
            if own is None:
                lent.append(identifier)
        return texts, tuple(lent)

    def is_only_recorded(self, step: Step) -> bool:
        """Whether a measure step was done by looking at recorded figures: its badge is hollow."""
        return step.experiment is not None and step.experiment.id not in self._experimented()

    def hollow(self, lesson: Lesson, step: Step) -> str:
        """Why the badge of a step, if it is done, is hollow; empty: it isn't."""
        if self.is_only_recorded(step):
            return RECORDED
        return SKIPPED if self.is_skipped(lesson, step) else ""

    def _experimented(self) -> set[str]:
        if self._experiments is None:
            self._experiments = set(self._read(self.progress.experimented, frozenset()))
        return self._experiments

    # ------------------------------------------------------------ time

    def note_key(self) -> None:
        """The learner is there."""
        self._count_time(key=True)
        if self._unwritten >= TIME_WRITTEN_S:
            self._write_time()

    def time_spent(self, lesson: Lesson) -> dict[str, float]:
        """Seconds of work by step."""
        if lesson.id not in self._spent:
            self._spent[lesson.id] = dict(self._read(self.progress.time_spent, {}, lesson.id))
        return self._spent[lesson.id]

    def _count_time(self, *, key: bool) -> None:
        seconds = self._active.take(key=key)
        self._unwritten += seconds
        spent = self.time_spent(self.lesson)
        spent[self.step.id] = spent.get(self.step.id, 0.0) + seconds

    def _write_time(self) -> None:
        if self._unwritten:
            self._write(self.progress.add_time, self.lesson.id, self.step.id, self._unwritten)
            self._unwritten = 0.0

    # ------------------------------------------------------------ history

    def bests(self) -> dict[str, list[MeasurementRecord]]:
        """By exercise the learner's best on each GPU."""
        return dict(self._read(self.progress.bests, {}))

    def attempt_counts(self) -> dict[str, int]:
        """By exercise how often it was judged."""
        return dict(self._read(self.progress.attempt_counts, {}))

    def hints(self, exercise: ExerciseFolder) -> int:
        """How many hints of the exercise have been asked for."""
        if exercise.id not in self._hints:
            remembered = self._read(self.progress.setting, None, f"hints/{exercise.id}")
            self._hints[exercise.id] = int(remembered or 0)
        return self._hints[exercise.id]

    def take_hint(self, exercise: ExerciseFolder, count: int) -> None:
        """``count`` hints are shown now."""
        self._hints[exercise.id] = count
        self.set_setting(f"hints/{exercise.id}", str(count))

    def record_run(self, report: Report) -> None:
        """A finished run: an attempt, and a measurement when there is one."""
        verdict = report.verdict
        if verdict is None:
            return
        if verdict == "pass":
            self._passed.add(report.exercise)
        findings = [finding.id for finding in report.findings]
        self._write(self.progress.record_attempt, report.exercise, verdict, findings, report.device)
        if report.measurement is not None and verdict == "pass":
            self._record_measurement(report.exercise, report.measurement)

    def _record_measurement(self, exercise: str, measured: Measurement) -> None:
        from tritontui.engine.gpus import short_name

        card = short_name(measured.gpu) or measured.device
        record = MeasurementRecord(measured.case, card, measured.median_us, measured.gbps, datetime.now().timestamp())
        self._known_measurements(exercise).append(record)
        self._write(
            self.progress.record_measurement, exercise, record.case, record.device, record.median_us, record.gbps
        )

    def measurements(self, exercise: ExerciseFolder) -> Sequence[MeasurementRecord]:
        """Every measured passing run of the exercise, oldest first."""
        return self._known_measurements(exercise.id)

    def _known_measurements(self, exercise: str) -> list[MeasurementRecord]:
        """Read once: what follows is added here, for its way to the disk takes a while."""
        if exercise not in self._measurements:
            self._measurements[exercise] = list(self._read(self.progress.measurements, (), exercise))
        return self._measurements[exercise]

    def setting(self, name: str) -> str | None:
        """As it was last set; None if it never was."""
        if name not in self._settings:
            self._settings[name] = self._read(self.progress.setting, None, name)
        return self._settings[name]

    def set_setting(self, name: str, value: str) -> None:
        """Remember a setting."""
        self._settings[name] = value
        self._write(self.progress.set_setting, name, value)

    def close(self) -> None:
        """Everything reaches the disk before this returns."""
        self.saver.close()
        self._count_time(key=False)
        self._write_time()
        self._writer.shutdown(wait=True)

    def _read(self, read: Callable[..., Any], otherwise: Any, *arguments: Any) -> Any:
        try:
            return read(*arguments)
        except StorageError as error:
            self._failed(error)
            return otherwise

    def _write(self, write: Callable[..., Any], *arguments: Any) -> None:
        def ended(future: Future[Any]) -> None:
            error = future.exception()
            if isinstance(error, StorageError):
                self._failed(error)

        self._writer.submit(write, *arguments).add_done_callback(ended)
