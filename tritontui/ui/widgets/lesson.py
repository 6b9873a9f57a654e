"""The lesson pane: the step's text, its questions, the hints asked for so far."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message

from tritontui.ui.widgets.lesson_targets import Check, Original, Pick
from tritontui.ui.widgets.text_view import BLANK, Block, TextView, line

if TYPE_CHECKING:
    from tritontui.course.model import Step
    from tritontui.ui.lesson.quiz import Asked, Quiz
    from tritontui.ui.lesson.searching import Passage


TITLE_BLOCKS = 2
"""The title and a blank row."""


class Aside:
    """What stands around the questions of a step; this one says nothing."""

    def before(self, view: LessonView) -> Iterable[Block]:  # noqa: ARG002 - for subclasses
        """Between the step's text and its questions."""
        return ()

    def under(self, asked: Asked, view: LessonView) -> Iterable[Block]:  # noqa: ARG002 - for subclasses
        """Under a question, once an answer to it was judged."""
        return ()

    def after(self, view: LessonView) -> Iterable[Block]:  # noqa: ARG002 - for subclasses
        """Under the questions."""
        return ()


class LessonView(TextView):
    """Shows one step; answers are given with arrows, digits and Enter."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "pair(-1)", show=False),
        Binding("right", "pair(1)", show=False),
        Binding("backspace", "erase", show=False),
    ]

    class Given(Message):
        """An answer was judged."""

        def __init__(self, question: str, given: str, correct: bool | None, all_done: bool) -> None:
            super().__init__()
            self.question = question
            self.given = given
            self.correct = correct
            """None: it was a guess."""
            self.all_done = all_done

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.quiz: Quiz | None = None
        self._step: Step | None = None
        self._aside = Aside()
        self._body_blocks = 0
        """Of the step's own text, which stand after its title."""
        self._last_asked, self._end_of_quiz = 0, 0
        """Indices of the last question's first block, and of the last block before the hints: what is to be done once
        all is answered."""
        self._hints: tuple[str, ...] = ()
        self._hints_in_all = 0
        self._unfolded = False
        """Whether the original message is shown."""

    # ------------------------------------------------------------ content

    def show_plain(self, title: str, text: str) -> None:
        """The text as it is, as the first frame has it."""
        blocks = [Block(Content.styled(title, "bold $primary")), BLANK]
        self.show_blocks([*blocks, *(Block(Content(row)) for row in text.splitlines())], keep_scroll=False)

    def show_step(
        self, step: Step, quiz: Quiz | None, hints: tuple[str, ...], hints_in_all: int, aside: Aside | None = None
    ) -> None:
        """Another step, from its top."""
        self._step, self.quiz, self._aside = step, quiz, aside or Aside()
        self._hints, self._hints_in_all = hints, hints_in_all
        self._unfolded = False
        self.cursor = None
        self.show_blocks(self._all_blocks(), keep_scroll=False)
        if not isinstance(self.target, Original):  # a way elsewhere: the question first
            self.cursor = next(iter(self._answers), self.cursor)

    def reveal(self, passage: Passage) -> None:
        """Bring a passage that the search has found to the top, marked until the next step or answer."""
        from tritontui.ui.lesson.searching import block_in

        step = self._step
        if step is None:
            return
        index = TITLE_BLOCKS + block_in(passage, self._body_blocks)
        marked = [block._replace(fill="on $panel") if i == index else block for i, block in enumerate(self.blocks)]
        self.show_blocks(marked)
        self.call_after_refresh(self.scroll_to_block, index)

    def show_hints(self, hints: tuple[str, ...]) -> None:
        """The hints asked for; the newest is brought into view."""
        self._hints = hints
        self.show_blocks(self._all_blocks())
        self.scroll_end(animate=False)

    def retranslate(self) -> None:
        self.refresh_blocks()

    def refresh_blocks(self) -> None:
        """Say the same again: another language, another palette, another answer."""
        self.show_blocks(self._all_blocks())

    def _all_blocks(self) -> list[Block]:
        from tritontui.ui.lesson.markdown import inline, markdown_blocks
        from tritontui.ui.lesson.quiz import Guesses

        step = self._step
        if step is None:
            return []
        language, code = self.language, self.triton.code
        blocks = [Block(inline(step.title[language]).stylize("bold $primary")), BLANK]
        body = markdown_blocks(step.body[language], code)
        self._body_blocks = len(body)
        blocks += body
        if step.exercise is not None and step.exercise.message:
            blocks += self._original(step.exercise.message)
        blocks += self._aside.before(self)
        if self.quiz is not None:
            from tritontui.ui.lesson.question_blocks import QuestionBlocks

            questions = QuestionBlocks(self.quiz, language, self.tr, code)
            for asked in self.quiz.shown:
                self._last_asked = len(blocks)
                blocks += questions.of(asked)
                if asked.done or asked.judged is not None:
                    blocks += self._aside.under(asked, self)
            if self.quiz.done and step.kind != "do" and not isinstance(self.quiz, Guesses):
                said = self.tr("All answered. Go on whenever you like.")
                if step.kind == "fix":
                    said = self.tr("All answered: the editor is open. Mend it there.")
                blocks += [BLANK, line((said, "$success"))]
        blocks += self._aside.after(self)
        self._end_of_quiz = len(blocks) - 1
        for number, hint in enumerate(self._hints, 1):
            title = self.tr("Hint {number}/{total}", number=number, total=self._hints_in_all)
            blocks += [BLANK, line((title, "bold $accent")), *markdown_blocks(hint, code)]
        return blocks

    def _original(self, message: str) -> Iterator[Block]:
        sign, words = "+", self.tr("show the original message")
        if self._unfolded:
            sign, words = "−", self.tr("the original message")
        yield BLANK
        yield line((f"{sign} {words}", "$primary"), target=Original())
        if self._unfolded:
            for row in message.splitlines():
                yield Block(Content.styled(row, "$muted"), rest=Content("  "), fold=True)

    # ------------------------------------------------------------ keys

    def action_move(self, step: int) -> None:
        if self.quiz is not None and self.quiz.carry(step):
            self.refresh_blocks()
            return
        super().action_move(step)

    def action_pair(self, step: int) -> None:
        """Left, right: another partner for the item under the cursor."""
        target = self.target
        asked = self.quiz.current if self.quiz else None
        if asked is not None and asked.question.kind == "match" and isinstance(target, Pick):
            assert self.quiz is not None
            self.quiz.pair(target.option, step)
            self.refresh_blocks()

    def action_erase(self) -> None:
        """Backspace in a number."""
        if self.quiz is not None and self.quiz.erase():
            self.refresh_blocks()

    def on_key(self, event: events.Key) -> None:
        if event.character and self.quiz is not None and self.quiz.type(event.character, self._is_free(event.key)):
            event.stop()
            event.prevent_default()
            self.refresh_blocks()
            self.move_to_question()  # so that Enter gives what was typed, wherever the cursor was

    def _is_free(self, key: str) -> bool:
        """Whether no command is on ``key``."""
        return key not in self.screen.active_bindings

    def action_choose(self) -> None:
        asked = self.quiz.current if self.quiz else None
        target = self.target
        if isinstance(target, Original):
            self._unfolded = not self._unfolded
            self.refresh_blocks()
            return
        if not isinstance(target, Pick | Check):
            super().action_choose()
            return
        if asked is None or self.quiz is None:
            return
        if isinstance(target, Check):
            self._hand_in(self.quiz)
        elif isinstance(target, Pick):
            if asked.question.kind == "choice":
                self._hand_in(self.quiz, target.option)
            elif asked.question.kind == "order":
                self.quiz.lift(target.option)
                self.refresh_blocks()
            else:
                self.action_pair(1)

    def _hand_in(self, quiz: Quiz, option: str = "") -> None:
        judged = quiz.answer(option)
        self.refresh_blocks()
        if judged is not None:
            self.post_message(self.Given(*judged, quiz.done))
        self.move_to_question(stay=isinstance(self.target, Pick | Check))
        if not self._answers:
            self.show_what_is_next()

    def show_what_is_next(self) -> None:
        """Once all is answered: that it is, or how to measure, or how a prediction came out; as much of it as fits
        under the last question."""
        self.call_after_refresh(lambda: self.bring_into_view(self._last_asked, self._end_of_quiz))

    @property
    def _answers(self) -> list[int]:
        """The rows that belong to the question."""
        return [index for index in self.targets if isinstance(self.blocks[index].target, Pick | Check)]

    def move_to_question(self, *, stay: bool = False) -> None:
        """The cursor to the first row of the question unless it is to stay, and as many of the rows as fit in view."""
        rows = self._answers
        if rows:
            self._scroll_to_block(min(rows[-1] + 1, len(self.blocks) - 1))  # with what is said under them
            self.move_cursor(self.cursor if stay and self.cursor is not None else rows[0])
        else:
            self.cursor = None  # so that one Enter too many leads nowhere
