"""What the learner expects before a verdict: exercises judged cold, and passing kernels broken on purpose."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tritontui.course.faults import CourseError
from tritontui.course.model import ExerciseFolder
from tritontui.course.storage import StorageError
from tritontui.keys.file import Keys
from tritontui.ui.learner.desk import Place
from tritontui.ui.learner.predictions import Prediction
from tritontui.ui.learner.study import COLD, Study
from tritontui.ui.runs.controller import Controller, View
from tritontui.ui.screens.runs import RunsScreen
from tritontui.ui.screens.steps import StepsScreen
from tritontui.ui.widgets.lesson import Aside, LessonView

if TYPE_CHECKING:
    from tritontui.ui.lesson.breaking import Offered
    from tritontui.ui.lesson.expectations import Breaking
    from tritontui.ui.lesson.quiz import Guesses, Quiz


class ExpectingScreen(StepsScreen, RunsScreen):
    """Asks first, judges when asked to, and holds the verdict against what was said."""

    def __init__(self, study: Study, controller: Controller, keys: Keys) -> None:
        super().__init__(study, controller, keys)
        self._breaking: Breaking | None = None
        self._cold: dict[str, Guesses] = {}
        """What was said of a cold exercise and not yet judged, by exercise."""

    # ------------------------------------------------------------ what the lesson asks

    def load_text(self) -> None:
        exercise = self.study.exercise
        if exercise is not None and self._breaking is None:
            self._recover(exercise)
        super().load_text()

    def show_lesson(self) -> None:
        if self._breaking is None:
            super().show_lesson()
            return
        from tritontui.ui.lesson.breaking import BreakingAside, breaking_step

        aside = BreakingAside(self._breaking)
        step = breaking_step(self._breaking, self.study.step)
        self.query_one(LessonView).show_step(step, self._breaking.guesses, (), 0, aside)

    def quiz(self) -> Quiz | None:
        return self._cold_guesses() or super().quiz()

    def _cold_guesses(self) -> Guesses | None:
        """What is asked about the verdict on this step's exercise, or was."""
        exercise = self.study.step.exercise
        if exercise is None or not exercise.cold:
            return None
        from tritontui.ui.lesson.expectations import cold_guesses, said

        before = self.study.prediction(COLD)
        if before is not None:
            return cold_guesses(said(before))
        if self.study.seal(exercise) != "prediction":
            return None
        return self._cold.setdefault(exercise.id, cold_guesses({}))

    def aside(self) -> Aside | None:
        from tritontui.ui.lesson.breaking import ExerciseAside

        exercise = self.study.step.exercise
        if exercise is None or not exercise.judged:
            return super().aside()
        return ExerciseAside(self.study, self.offered, self._cold.get(exercise.id))

    def guessed(self, event: LessonView.Given) -> None:
        if self._breaking is None and self.study.step.exercise is None:
            super().guessed(event)
            return
        if event.all_done:
            self.query_one(LessonView).refresh_blocks()
            self.show_pane("editor")

    # ------------------------------------------------------------ judging

    def action_run(self) -> None:
        if self.controller.view.sealed in ("prediction", "break"):
            self._judge_at_last()
        else:
            if self._breaking is not None:
                self._breaking.asked = self.controller.text
            super().action_run()

    def _judge_at_last(self) -> None:
        """The verdict, if the learner has said what to expect."""
        exercise, step = self.study.exercise, self.study.step
        if exercise is None or step.exercise != exercise:
            self.notify(self.tr("This kernel is judged cold, in its own step."))
            return
        guesses = self._breaking.guesses if self._breaking else self._cold_guesses()
        if guesses is None or not guesses.done:
            self.show_pane("lesson")
            self.query_one(LessonView).move_to_question()  # it says all there is to say; a toast would cover it
            return
        from tritontui.ui.lesson.expectations import confidence

        if self._breaking is not None:
            self._breaking.asked = self.controller.text
            self.study.predict(self._breaking.question, self._breaking.guess, confidence(guesses))
        else:
            self.study.predict(COLD, guesses.given[COLD], confidence(guesses))
        self.controller.unseal()
        self.run_now()

    def record(self, view: View) -> None:
        if self._breaking is not None:
            self._record_break(self._breaking, view)
            return
        was_done = self.study.is_done(self.study.step)
        judged: Prediction | None = None
        super().record(view)
        if view.exercise is not None and view.exercise == self.study.step.exercise and view.report is not None:
            from tritontui.ui.lesson.expectations import came_out

            figure = came_out(view.report)
            if view.exercise.cold and figure is not None:
                self._cold.pop(view.exercise.id, None)
                judged = self.study.judge(COLD, figure)
                self._outcome(judged)
            # there the verdict says it, and a toast would cover it
            told = self.one_at_a_time and self.pane == "results"
            if not was_done and self.study.is_done(self.study.step) and self.offered() is not None and not told:
                self.notify(self.tr("It passes. In the lesson, {key} breaks it on purpose.", key=self.key_of("break")))
            lesson = self.query_one(LessonView)
            lesson.refresh_blocks()  # what may be broken now, or may no longer be
            if judged is not None:
                lesson.show_what_is_next()

    def _outcome(self, judged: Prediction | None) -> None:
        """How a prediction came out, where the lesson isn't in view."""
        if judged is not None and self.one_at_a_time:
            self.notify(self.tr("As you said.") if judged.correct else self.tr("Not as you said: the lesson has more."))

    # ------------------------------------------------------------ breaking it

    def offered(self) -> Offered | None:
        """What may be broken now; None unless the kernel of this step passes as it stands."""
        exercise = self.study.step.exercise
        view = self.controller.view
        passes = exercise is not None and exercise == view.exercise and view.verdict == "pass"
        return self._next_break(exercise) if passes and exercise is not None else None

    def _next_break(self, exercise: ExerciseFolder) -> Offered | None:
        """The first break that wasn't made yet, else the first; None where there is none."""
        try:
            breaks = exercise.breaks
        except CourseError:
            return None
        if not breaks:
            return None
        from tritontui.ui.lesson.expectations import BREAK

        left = [found for found in breaks if not self._is_settled(BREAK + found.id)]
        chosen = (left or list(breaks))[0]
        return chosen, breaks.index(chosen) + 1, len(breaks)

    def _is_settled(self, question: str) -> bool:
        prediction = self.study.prediction(question)
        return prediction is not None and prediction.correct is not None

    def action_break(self) -> None:
        """Break the kernel on purpose, or put it back."""
        if self._breaking is not None:
            self._put_back()
            return
        offered = self.offered()
        if offered is None:
            self.notify(self.tr("There is something to break once a kernel passes."))
            return
        self._begin(offered)

    def _begin(self, offered: Offered) -> None:
        """Keep the text, show nothing more, and ask what the change will show."""
        from tritontui.ui.lesson.expectations import Breaking

        exercise = self.study.exercise
        assert exercise is not None
        try:
            self.study.work.set_aside(exercise.id, self.editor.text)
        except StorageError as error:
            self.write_failed(error)
            return
        self._breaking = Breaking(*offered)
        self.controller.seal("break")
        self.show_lesson()
        self.show_pane("lesson")

    def _record_break(self, breaking: Breaking, view: View) -> None:
        """The verdict on the broken kernel, if it is the one that was asked for; nothing is counted as an attempt."""
        if view.report is None or view.source != breaking.asked or breaking.foreseen:
            return
        breaking.found = view.report.shows([option.id for option in breaking.chosen.question.options])
        if breaking.found is not None and breaking.foreseen:
            self._outcome(self.study.judge(breaking.question, breaking.found))
        self.show_lesson()
        if self.has_class("-wide") or self.has_class("-medium"):
            self.show_pane("lesson")

    def _put_back(self) -> None:
        """The kernel as it passed, judged again."""
        self._breaking = None
        exercise = self.study.exercise
        if exercise is None:
            return
        self.keep_text()
        text = self._recover(exercise)
        if text is not None:
            self.editor.replace_text(text)
        self.controller.open(exercise, self.editor.text, sealed=self.study.seal(exercise))
        self.show_lesson()

    def _recover(self, exercise: ExerciseFolder) -> str | None:
        """The text that was set aside is the exercise's again; None when there is none."""
        try:
            return self.study.work.put_back(exercise.id)
        except StorageError as error:
            self.write_failed(error)
            return None

    def chosen(self, target: object) -> None:
        from tritontui.ui.lesson.breaking import BreakIt, PutBack

        exercise = self.study.exercise
        if isinstance(target, BreakIt) and self._breaking is not None and exercise is not None:
            self._put_back()  # passes, as it did
            offered = self._next_break(exercise)
            if offered is not None:
                self._begin(offered)
        elif isinstance(target, BreakIt | PutBack):
            self.action_break()
        else:
            super().chosen(target)

    def go(self, place: Place) -> None:
        if self._breaking is not None:
            self._put_back()
        super().go(place)
