"""The steps of the course: opening them, answering their questions, turning their knobs, asking for their hints."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from tritontui.course.opening import CLOSING
from tritontui.i18n import N_
from tritontui.ui.learner.desk import Place
from tritontui.ui.screens.text import TextScreen
from tritontui.ui.widgets.knob_bar import KnobBar
from tritontui.ui.widgets.lesson import Aside, LessonView
from tritontui.ui.widgets.text_view import TextView

if TYPE_CHECKING:
    from tritontui.ui.lesson.quiz import Quiz


class StepsScreen(TextScreen):
    """Puts each step on the desk, with the text of its kernel."""

    def open_step(self) -> None:
        """Show the step of the desk: its text, its questions, and its kernel unless it is on the desk already."""
        study = self.study
        step = study.step
        self.show_lesson()
        exercise = study.exercise
        self.controller.place(ahead=study.desk.ahead)
        if exercise != self.controller.view.exercise or exercise is None:
            self.open_text()
        else:
            self.reseal()
            self.show_knobs()
            self.on_access_map_selected()
        if step.kind == "explore":
            self.results.pick("map")
        self.panes_changed()

    def reseal(self) -> bool:
        """Hide the results, or show them, as the step on the desk and its answers want it; whether that is new."""
        sealed, before = self.study.seal(self.study.exercise), self.controller.view.sealed
        if sealed == before:
            return False
        if sealed:
            self.controller.seal(sealed)
        else:
            self.controller.unseal(at_once=before == "questions")
        return True

    def show_lesson(self) -> None:
        """The step's text, its questions, and what stands around them."""
        self.query_one(LessonView).show_step(self.study.step, self.quiz(), *self._hints(), self.aside())

    def quiz(self) -> Quiz | None:
        """What this step asks: to be answered, or to be guessed."""
        from tritontui.ui.lesson.expectations import shuffled
        from tritontui.ui.lesson.quiz import Guesses, Quiz

        study = self.study
        if study.step.kind == "closing" and study.lesson.closing is not None:
            guess = study.guess(study.lesson)
            given = {CLOSING: guess.given} if guess else {}
            return Guesses([shuffled(study.lesson.closing)], given, head=N_("Before you know"))
        if study.step.kind == "evidence":
            given = {question: said.given for question, said in study.predictions().items()}
            return Guesses(study.questions, given, head=N_("Before you look"))
        return Quiz(study.questions, study.answered()) if study.questions else None

    def aside(self) -> Aside | None:
        """What is said around the questions."""
        from tritontui.ui.lesson.between import ClosingAside, OpeningAside
        from tritontui.ui.lesson.evidence import EvidenceAside

        kinds = {"opening": OpeningAside, "closing": ClosingAside, "evidence": EvidenceAside}
        made = kinds.get(self.study.step.kind)
        return made(self.study) if made else None

    def go(self, place: Place) -> None:
        """To that step."""
        self.keep_text()
        self.study.go(place)
        self.open_step()
        kernel = self.study.step.kind in ("code", "fix") and self.controller.view.sealed != "questions"
        if self.one_at_a_time or not kernel:
            self.show_pane("lesson")
        else:
            self.show_pane("editor")

    def action_step(self, distance: int) -> None:
        """The next step, or the one before."""
        place = self.study.desk.beside(distance)
        if place is None:
            words = self.tr("This is the last step.") if distance > 0 else self.tr("This is the first step.")
            self.notify(words)
        else:
            self.go(place)

    async def action_scoreboard(self) -> None:
        """How often the learner foresaw what came; what is listed leads to its step."""
        from tritontui.ui.lesson.scoreboard import scoreboard_blocks
        from tritontui.ui.screens.sheet import Sheet

        def jump(place: object | None) -> None:
            if isinstance(place, Place):
                self.go(place)

        await asyncio.to_thread(self.study.ledger.written)  # the answer of a moment ago is on the board
        blocks = list(scoreboard_blocks(self.study.scoreboard(), self.study.desk.course, self.language, self.tr))
        await self.app.push_screen(Sheet(self.tr("Your predictions"), blocks), jump)

    def on_text_view_chosen(self, event: TextView.Chosen) -> None:
        self.chosen(event.target)

    def chosen(self, target: object) -> None:
        """Something else than an answer was chosen in the lesson.

        Screens that know more targets override this, not the handler: Textual calls a handler of each base class.
        """
        if isinstance(target, Place):
            self.go(target)

    def on_lesson_view_given(self, event: LessonView.Given) -> None:
        if event.correct is None:
            self.guessed(event)
            return
        self.study.record_answer(event.question, event.given, event.correct)
        if self.reseal():
            self.open_editor()
            self.show_knobs()
            self.panes_changed()
        if event.all_done and self.study.settle():
            self.panes_changed()

    def guessed(self, event: LessonView.Given) -> None:
        """The learner's guess at what the next lesson answers, or at where they stand."""
        self.study.predict(event.question, event.given)
        if self.study.step.kind == "evidence":
            self.study.judge(event.question, self.study.standing())
        self.query_one(LessonView).refresh_blocks()
        if self.study.mark_done():
            self.panes_changed()

    # ------------------------------------------------------------ exploring

    def action_knobs(self) -> None:
        """To the knobs."""
        knobs = self.query_one(KnobBar)
        if knobs.display:
            knobs.focus()
        else:
            self.notify(self.tr("There are no knobs to turn here."))

    def on_knob_bar_turned(self, event: KnobBar.Turned) -> None:
        self.controller.turn(event.name, event.value)
        if self.study.note_turn():
            self.panes_changed()

    def on_knob_bar_program_turned(self, event: KnobBar.ProgramTurned) -> None:
        self.map.action_program(event.step)

    def on_access_map_selected(self) -> None:
        access = self.map.access
        self.query_one(KnobBar).show_program(self.map.selection.program, access.programs if access else 0)

    # ------------------------------------------------------------ hints and solution

    def action_hint(self) -> None:
        """One more hint."""
        exercise = self.study.step.exercise
        total = self._hints()[1]
        if exercise is None or not total:
            self.notify(self.tr("This step has no hints."))
            return
        shown = min(self.study.history.hints(exercise) + 1, total)
        self.study.history.take_hint(exercise, shown)
        self.query_one(LessonView).show_hints(self._hints()[0])
        if self.one_at_a_time:
            self.show_pane("lesson")
        self.panes_changed()

    async def action_solution(self) -> None:
        """The reference solution, once the exercise was passed."""
        from tritontui.ui.screens.sheet import Sheet
        from tritontui.ui.views.sheets import solution_blocks

        exercise = self.study.exercise
        if exercise is None:
            self.notify(self.tr("This lesson has no exercise."))
        elif not self.study.history.passed(exercise):
            self.notify(self.tr("The solution is shown once your kernel has passed."))
        else:
            source = exercise.solution.read_text(encoding="utf-8")
            await self.app.push_screen(Sheet(self.tr("A solution"), list(solution_blocks(source, self.triton.code))))
