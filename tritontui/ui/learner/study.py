"""One learner at work: the place in the course, the text of the exercise, what is done. No widgets, no event loop.

Reading happens at once; every write goes to a thread, for home directories may be slow.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime, time
from typing import TYPE_CHECKING

from tritontui.course.evidence import standing
from tritontui.course.model import ExerciseFolder, Experiment, Lesson, Question, Step
from tritontui.course.opening import CLOSING, recalled
from tritontui.course.outcomes import reached
from tritontui.course.progress import DONE_OUTSIDE, Progress
from tritontui.course.records import FiguresSource
from tritontui.course.storage import StorageError
from tritontui.course.work import Work
from tritontui.ui.learner.active_time import TimeSpent
from tritontui.ui.learner.desk import Desk, Place
from tritontui.ui.learner.history import History
from tritontui.ui.learner.ledger import Ledger
from tritontui.ui.learner.predictions import Outcome, Prediction, Predictions
from tritontui.ui.learner.saver import Saved, Saver
from tritontui.ui.runs.controller import Seal
from tritontui.ui.views.status import RECORDED, SKIPPED

if TYPE_CHECKING:
    from tritontui.course.figures import Figures
    from tritontui.course.scoreboard import Scoreboard

COLD = "cold"
"""Id of the question what the verdict on a cold exercise will be."""


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
        self.ledger = Ledger(progress, failed)
        self.history = History(self.ledger)
        self.time_spent = TimeSpent(self.ledger)
        self._predictions = Predictions(self.ledger)
        self._done: dict[str, set[str]] = {}
        self._answered: dict[tuple[str, str], set[str]] = {}
        self._recalled: dict[str, tuple[Question, ...]] = {}
        self._skipped: set[tuple[str, str]] = set()
        self._turns = 0
        """Of knobs, in this step."""

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
        self.time_spent.leave(self.lesson, self.step)
        self.desk.place = place
        self._turns = 0
        self.remember_place()

    def remember_place(self) -> None:
        """So that the next start opens here."""
        self.ledger.write(self.progress.set_position, self.lesson.id, self.step.id)

    # ------------------------------------------------------------ the text

    def text(self, exercise: ExerciseFolder) -> str:
        """The learner's text, or the starter's. Raises StorageError."""
        return self.work.open(exercise)

    def keep_version(self, exercise: ExerciseFolder) -> None:
        """The text as it stands passed: keep it among the versions."""
        self.ledger.write(self.work.keep, exercise.id)

    # ------------------------------------------------------------ what is done

    def done(self, lesson: Lesson) -> set[str]:
        """Ids of the steps of ``lesson`` that are done."""
        if lesson.id not in self._done:
            self._done[lesson.id] = set(self.ledger.read(self.progress.done, frozenset(), lesson.id))
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
        self.ledger.write(self.progress.mark_done, self.lesson.id, self.step.id)
        return True

    def note_turn(self) -> bool:
        """A knob was turned; True when that completes this step."""
        self._turns += 1
        return 0 < self.step.changes <= self._turns and self.mark_done()

    def answered(self, step: Step | None = None) -> set[str]:
        """Ids of the questions of this step (or of another of this lesson) that were answered rightly."""
        step = step or self.step
        if (self.lesson.id, step.id) not in self._answered:
            since = datetime.combine(self.day, time()).timestamp() if step.kind == "opening" else 0.0
            answered = self.ledger.read(self.progress.answered, frozenset(), self.lesson.id, step.id, since)
            self._answered[self.lesson.id, step.id] = set(answered)
        return self._answered[self.lesson.id, step.id]

    def record_answer(self, question: str, given: str, correct: bool) -> None:
        """An answer to one of this step's questions."""
        if correct:
            self.answered().add(question)
        self.ledger.write(self.progress.record_answer, self.lesson.id, self.step.id, question, given, correct)

    def seal(self, exercise: ExerciseFolder | None) -> Seal:
        """What the exercise's results wait for.

        In a predict step, and on the way to one, they would tell what is to be foreseen, unless the kernel is known:
        one that has passed, or that was explored before.
        """
        if exercise is not None and not self._is_known(exercise) and any(map(self._is_open, self._foreseen(exercise))):
            return "step"
        return self._own_seal(exercise)

    def _foreseen(self, exercise: ExerciseFolder) -> Iterator[Step]:
        """The predict steps from this one to that of the exercise, which may be behind."""
        for step in self.lesson.steps[self.desk.place.step :]:
            if step.exercise == exercise or (step is not self.step and not self.desk.ahead):
                return
            if step.kind == "predict":
                yield step

    def _is_open(self, step: Step) -> bool:
        return not self.answered(step).issuperset(step.question_ids)

    def closed(self, exercise: ExerciseFolder | None) -> bool:
        """Whether nothing may be mended yet: the questions of the exercise's own step come first."""
        return self._own_seal(exercise) == "questions"

    def _is_known(self, exercise: ExerciseFolder) -> bool:
        return self.history.passed(exercise) if exercise.judged else not self.desk.ahead

    def _own_seal(self, exercise: ExerciseFolder | None) -> Seal:
        step = next((step for step in self.lesson.steps if exercise is not None and step.exercise == exercise), None)
        if step is None or exercise is None:
            return ""
        if step.kind == "fix" and self._is_open(step):
            return "questions"
        cold = exercise.cold and self.prediction(COLD, step) is None and not self.history.passed(exercise)
        return "prediction" if cold else ""

    def settle(self) -> bool:
        """Mark this step done if all that it asks for is there; True when that is new."""
        step, exercise = self.step, self.step.exercise
        passes = step.kind not in ("code", "fix") or (exercise is not None and self.history.passed(exercise))
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
        known: str | None = self.ledger.read(self.progress.setting, None, "learner")
        if known is None:
            known = secrets.token_hex(4)
            self.ledger.set_setting("learner", known)
        return known

    def prediction(self, question: str, step: Step | None = None, lesson: Lesson | None = None) -> Prediction | None:
        """The newest prediction on that question of a step; None before there is one."""
        return self._predictions.of(lesson or self.lesson).get(((step or self.step).id, question))

    def guess(self, lesson: Lesson) -> Prediction | None:
        """The learner's guess at the question with which ``lesson`` closes."""
        return self._predictions.of(lesson).get((CLOSING, CLOSING))

    def predict(
        self, question: str, given: str, confidence: int | None = None, draw: Mapping[str, int] | None = None
    ) -> None:
        """The learner commits to what they expect, in this step."""
        said = Prediction(given, confidence, draw=dict(draw or {}))
        self._predictions.commit(self.lesson, self.step.id, question, said)

    def judge(self, question: str, figure: str) -> Prediction | None:
        """It came out as ``figure``: the prediction judged by it; None when there is none, or it was judged already."""
        return self._predictions.judge(self.lesson, self.step.id, question, figure)

    def standing(self) -> str:
        """On which of this step's rungs the learner stands, by all that was done: its id, or ``evidence.BELOW``."""
        return standing(self.step.rungs, self.desk.course, self.reached())

    def reached(self) -> frozenset[str]:
        """Ids of the outcomes that were reached, in the whole course."""
        lessons = self.desk.course.lessons
        return frozenset(outcome for lesson in lessons for outcome in reached(lesson, self.done(lesson)))

    def scoreboard(self) -> Scoreboard:
        """How often the learner's predictions were right, over the whole course."""
        from tritontui.course.scoreboard import scoreboard

        answers = self.ledger.read(self.progress.answers, [])
        return scoreboard(self.desk.course, answers, self.ledger.read(self.progress.predictions, []))

    # ------------------------------------------------------------ what is done outside

    def done_outside(self, step: Step) -> str | None:
        """With what a do step was done: a Python, a script. None: it wasn't yet, or it is another kind of step."""
        if step.task is None:
            return None
        found: str | None = self.ledger.read(self.progress.setting, None, DONE_OUTSIDE[step.task])
        return found

    def skip(self) -> None:
        """This step can't be done here: it counts, and its badge says how."""
        self.ledger.set_setting(f"skipped/{self.lesson.id}/{self.step.id}", "yes")
        self._skipped.add((self.lesson.id, self.step.id))
        self.settle()

    def is_skipped(self, lesson: Lesson, step: Step) -> bool:
        """Whether a do step counts although it wasn't done; doing it later makes it whole."""
        if step.kind != "do":
            return False
        if self.done_outside(step) is not None:
            return False
        known = (lesson.id, step.id) in self._skipped
        return known or self.ledger.read(self.progress.setting, None, f"skipped/{lesson.id}/{step.id}") is not None

    # ------------------------------------------------------------ experiments

    def predictions(self) -> dict[str, Prediction]:
        """The newest of this step, by question."""
        return {
            question: found
            for (step, question), found in self._predictions.of(self.lesson).items()
            if step == self.step.id
        }

    def figures_to_show(self) -> tuple[Figures, FiguresSource] | None:
        """Of this step's experiment: the learner's own, else the recorded ones once the learner has looked at them."""
        experiment = self.step.experiment
        if experiment is None:
            return None
        own = self.history.own_figures(experiment)
        if own is not None:
            return own
        seen = any(prediction.source == "recorded" for prediction in self.predictions().values())
        return (experiment.recorded, "recorded") if seen and experiment.recorded is not None else None

    def record_outcome(self, question: str, outcome: Outcome) -> None:
        """What the figures said to a prediction of this step."""
        self._predictions.measured(self.lesson, self.step.id, question, outcome)

    def own_texts(self, experiment: Experiment, *, solutions: bool) -> tuple[dict[str, str], tuple[str, ...]]:
        """Texts of the exercises that ``experiment`` uses, by id: the learner's where it has passed, else a solution.

        ``solutions``: no text of the learner's. Also the ids of those that aren't. Raises StorageError.
        """
        self.saver.flush()
        texts, lent = {}, []
        for identifier in experiment.uses:
            exercise = self.desk.course.exercise(identifier)
            own = self.work.read(identifier) if self.history.passed(exercise) and not solutions else None
            texts[identifier] = exercise.solution.read_text(encoding="utf-8") if own is None else own
            if own is None:
                lent.append(identifier)
        return texts, tuple(lent)

    def is_only_recorded(self, step: Step) -> bool:
        """Whether a measure step was done by looking at recorded figures: its badge is hollow."""
        return step.experiment is not None and not self.history.experimented(step.experiment)

    def hollow(self, lesson: Lesson, step: Step) -> str:
        """Why the badge of a step, if it is done, is hollow; empty: it isn't."""
        if self.is_only_recorded(step):
            return RECORDED
        return SKIPPED if self.is_skipped(lesson, step) else ""

    # ------------------------------------------------------------ coming and going

    def note_key(self) -> None:
        """The learner is there."""
        self.time_spent.note_key(self.lesson, self.step)

    def close(self) -> None:
        """Everything reaches the disk before this returns."""
        self.saver.close()
        self.time_spent.leave(self.lesson, self.step)
        self.ledger.close()
