"""Steps that happen on the machine itself: experiments with their predictions, and what is done in another terminal."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from tritontui.course.arithmetic import ExpressionError
from tritontui.course.figures import Figures
from tritontui.course.model import Step
from tritontui.course.records import FiguresSource
from tritontui.course.storage import StorageError
from tritontui.keys.file import Keys
from tritontui.ui.learner.predictions import Outcome
from tritontui.ui.learner.study import Study
from tritontui.ui.runs.controller import Controller
from tritontui.ui.runs.experimenter import Experimenter
from tritontui.ui.screens.expecting import ExpectingScreen
from tritontui.ui.widgets.lesson import Aside, LessonView

if TYPE_CHECKING:
    from tritontui.ui.lesson.measuring import MeasureQuiz
    from tritontui.ui.lesson.quiz import Quiz
    from tritontui.ui.widgets.figures import FiguresView


class MeasuresScreen(ExpectingScreen):
    """Runs the experiment of the step on the desk, and shows its figures beside what was predicted."""

    figures: FiguresView
    """There once furnished."""

    def __init__(self, study: Study, controller: Controller, keys: Keys) -> None:
        super().__init__(study, controller, keys)
        self.experimenter = Experimenter(lambda: self.triton.engine, lambda: self.experiment_changed())
        self._measure_quiz: MeasureQuiz | None = None
        """Of the step on the desk, if it is a measure step."""
        self._figures_source: FiguresSource | None = None
        self._opened: Step | None = None
        """The step on the desk, as it was opened last."""

    def open_step(self) -> None:
        step = self.study.step
        interrupted = self.experimenter.running and step != self._opened
        if step != self._opened:  # else it is only said in another language
            self.experimenter.forget()
        self._opened = step
        self._measure_quiz, self._figures_source = None, None
        self.results.offer("figures", step.experiment is not None)
        super().open_step()
        if interrupted:
            self.controller.resume()  # which had paused for the experiment
        if self._measure_quiz is not None:
            self.results.pick("figures")

    def quiz(self) -> Quiz | None:
        step = self.study.step
        if step.experiment is None:
            return super().quiz()
        from tritontui.ui.lesson.measuring import MeasureQuiz

        quiz = self._measure_quiz = MeasureQuiz(step.questions, self.study.answered(), self.study.predictions())
        known = self.study.figures_to_show() if quiz.committed else None
        if known is not None:
            self._reveal(*known)
        else:
            self.figures.show_figures(None)
        return quiz

    def aside(self) -> Aside | None:
        if self.study.step.kind == "do":
            from tritontui.ui.lesson.doing import DoAside

            return DoAside(self.study)
        if self._measure_quiz is None:
            return super().aside()
        from tritontui.ui.lesson.measuring_words import MeasureAside

        return MeasureAside(self.study.step, self._measure_quiz, self.experimenter, source=lambda: self._figures_source)

    def action_run(self) -> None:
        """In a measure step, the experiment; else, and from the editor, the kernel."""
        if self._measure_quiz is not None and self.pane != "editor":
            self.call_later(self.measure)
        else:
            super().action_run()

    def chosen(self, target: object) -> None:
        from tritontui.ui.lesson.doing import Skip
        from tritontui.ui.lesson.measuring_words import AskAgain, Measure, ShowRecorded, Stop

        match target:
            case Measure(solutions=solutions):
                self.call_later(partial(self.measure, solutions=solutions))
            case Stop():
                self.stop_measuring()
            case ShowRecorded():
                self.show_recorded()
            case AskAgain():
                self.ask_again()
            case Skip():
                self._skip()
            case _:
                super().chosen(target)

    def _skip(self) -> None:
        """What one would have seen takes the place of the row that was chosen, and comes into view."""
        view = self.query_one(LessonView)
        first = view.cursor or 0
        self.study.skip()
        self._shown_anew()
        view.call_after_refresh(view.bring_into_view, first, len(view.blocks) - 1)

    # ------------------------------------------------------------ the figures

    def _reveal(self, figures: Figures, source: FiguresSource) -> None:
        """Show the figures, and judge every prediction by them."""
        from tritontui.ui.widgets.figures import Shown

        quiz, experiment = self._measure_quiz, self.study.step.experiment
        assert quiz is not None and experiment is not None
        try:
            judged = quiz.reveal(figures)
        except ExpressionError as error:  # on this card something that is asked for has no figure
            quiz.figures = None
            self.notify(self.tr("These figures don't answer the questions: {reason}", reason=error), severity="error")
            return
        self._figures_source = source
        for asked in judged:
            assert asked.judged is not None
            right = str(asked.drawn.solution())
            outcome = Outcome(asked.judged.correct, right, asked.drawn.distance(asked.last), source)
            self.study.record_outcome(asked.question.id, outcome)
        self.figures.show_figures(Shown(experiment, figures, source))
        self.results.pick("figures")
        self.study.settle()

    def _shown_anew(self) -> None:
        self.query_one(LessonView).refresh_blocks()
        self.panes_changed()

    def guessed(self, event: LessonView.Given) -> None:
        quiz = self._measure_quiz
        if quiz is None:
            super().guessed(event)
            return
        asked = next(one for one in quiz.asked if one.question.id == event.question)
        self.study.predict(event.question, event.given, draw=asked.drawn.variables)
        known = self.study.figures_to_show() if quiz.committed else None
        if known is not None and quiz.figures is None:
            self._reveal(*known)
        self._shown_anew()

    # ------------------------------------------------------------ the experiment

    async def measure(self, *, solutions: bool = False) -> None:
        """Time the experiment; ``solutions``: with the course's texts in the place of the learner's."""
        from tritontui.engine.experiment import own_text

        experiment, quiz = self.study.step.experiment, self._measure_quiz
        if experiment is None or quiz is None or self.experimenter.running:
            return
        if not quiz.committed:
            self.notify(self.tr("Say first what you expect; then it is measured."))
            return
        if self.triton.engine_status.gpu is None:
            self.notify(self.tr("There is no GPU here that could be measured."))
            return
        try:
            texts, lent = self.study.own_texts(experiment, solutions=solutions)
        except StorageError as error:
            self.write_failed(error)
            return
        await self.controller.pause()  # a run of the kernel would end the experiment
        exercises = [self.study.desk.course.exercise(identifier) for identifier in experiment.uses]
        own = [own_text(exercise, texts[exercise.id], str(self.study.work.path(exercise.id))) for exercise in exercises]
        self.experimenter.start(experiment, own, lent)

    def experiment_changed(self) -> None:
        """The experiment has something new to say."""
        if not self.is_attached:
            return
        run = self.experimenter.run
        if run is not None and run.finished and not self.experimenter.running:
            figures = run.figures()
            if figures is not None:
                self.study.history.record_experiment(figures)
                self._reveal(figures, "measured")
            self.controller.resume()
        self._shown_anew()

    def show_recorded(self) -> None:
        """The course's own figures, once the predictions are committed."""
        experiment, quiz = self.study.step.experiment, self._measure_quiz
        if experiment is not None and quiz is not None and quiz.committed and experiment.recorded is not None:
            self._reveal(experiment.recorded, "recorded")
            self._shown_anew()

    def ask_again(self) -> None:
        """The predictions anew."""
        if self._measure_quiz is not None:
            self._measure_quiz.ask_again()
            self._figures_source = None
            self.figures.show_figures(None)
            self.experimenter.forget()
            self._shown_anew()

    def stop_measuring(self) -> None:
        """End the experiment."""
        self.experimenter.stop()
        self.controller.resume()
        self._shown_anew()

    async def look_at_disk(self) -> None:
        await super().look_at_disk()
        study = self.study
        if not self.furnished or study.step.kind != "do":
            return
        was = study.is_done(study.step), study.hollow(study.lesson, study.step)
        if study.done_outside(study.step) is not None:
            study.settle()
        if was != (study.is_done(study.step), study.hollow(study.lesson, study.step)):
            self._shown_anew()

    def engine_changed(self) -> None:
        super().engine_changed()
        if self._measure_quiz is not None and not self.experimenter.running:
            self.query_one(LessonView).refresh_blocks()  # a GPU may have been found
