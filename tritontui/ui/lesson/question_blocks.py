"""Questions of a step as blocks of text: what is asked, what was answered and why it is wrong or right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import zip_longest

from textual.content import Content

from tritontui.course.questions import grouped
from tritontui.i18n import Language, Translator
from tritontui.ui.lesson.markdown import inline, markdown_blocks
from tritontui.ui.lesson.quiz import Asked, Guesses, Quiz
from tritontui.ui.widgets.lesson_targets import Check, Pick
from tritontui.ui.widgets.text_view import BLANK, Block, line

NOTHING = Content("")


@dataclass(frozen=True)
class QuestionBlocks:
    """Draws the questions of ``quiz``; ``code`` colours a listing."""

    quiz: Quiz
    language: Language
    tr: Translator
    code: Callable[[str], Content]

    def of(self, asked: Asked) -> list[Block]:
        """One question: how far the learner has come with it."""
        number, total = self.quiz.asked.index(asked) + 1, len(self.quiz.asked)
        sign: tuple[str, str] | str = ""
        if asked.question.prediction:
            head = self.tr("Prediction {number}/{total}", number=number, total=total)
            if asked.done and asked.judged is not None:
                sign = (" ✓", "bold $success") if asked.judged.correct else (" ✗", "bold $error")
        elif isinstance(self.quiz, Guesses):
            head = self.tr(self.quiz.head) if number == 1 else ""
        else:
            head = self.tr("Question {number}/{total}", number=number, total=total)
            sign = (" ✓", "bold $success") if asked.done else ""
        prompt, _, text = asked.drawn.prompt(self.language).partition("\n\n")
        heading = [line((head, "bold $accent"), sign)] if head else []
        blocks = [BLANK, *heading, Block(inline(prompt).stylize("bold"))]
        blocks += markdown_blocks(text, self.code) if text else []
        if asked.done:
            return blocks + self._solved(asked)
        if asked.judged is not None:
            blocks[2:2] = self._wrong(asked)
        body = {
            "choice": self._choice,
            "number": self._number,
            "order": self._order,
            "match": self._match,
        }[asked.question.kind]
        return [*blocks, BLANK, *body(asked)]

    def _solved(self, asked: Asked) -> list[Block]:
        if asked.question.prediction:
            return self._came_out(asked)
        if isinstance(self.quiz, Guesses):
            said = self._given_words(asked)
            text = inline(said) if asked.question.kind == "choice" else Content(said)
            return [Block(text.stylize("$accent"), first=Content.styled("  → ", "$accent"), rest=Content("    "))]
        drawn = asked.drawn
        solution = drawn.solution()
        blocks = [
            Block(inline(row), first=Content("  "), rest=Content("  ")) for row in self._solution_rows(asked, solution)
        ]
        words = drawn.say(drawn.explanation(), self.language)
        return [*blocks, *markdown_blocks(words, self.code)]

    def _came_out(self, asked: Asked) -> list[Block]:
        """What was predicted, and beside it what was measured."""
        drawn, judged = asked.drawn, asked.judged
        words = self._given_words(asked)
        given = inline(self.tr.figure(words) if asked.question.kind == "number" else words)
        if judged is None:
            return [line((self.tr("you expect") + "  ", "$muted"), given.stylize("$accent"), indent=2)]
        said, measured = self.tr("you expected"), self.tr("measured")
        width = max(len(said), len(measured)) + 2
        [right] = self._solution_rows(asked, drawn.solution())
        blocks = [
            line((f"{said:<{width}}", "$muted"), given.stylize("$success" if judged.correct else "$error"), indent=2),
            line((f"{measured:<{width}}", "$muted"), inline(right.removeprefix("= ")).stylize("bold"), indent=2),
        ]
        for explanation in judged.explanations:
            blocks += markdown_blocks(explanation[self.language], self.code)
        if not judged.correct:
            why = drawn.say(drawn.explanation(), self.language)
            blocks += [BLANK, *markdown_blocks(why, self.code)]
        return blocks

    def _solution_rows(self, asked: Asked, solution: str | tuple[str, ...] | dict[str, str]) -> list[str]:
        drawn = asked.drawn
        if asked.question.kind == "number":
            return [f"= {self.tr.figure(grouped(float(str(solution))))}"]

        def say(identifier: str) -> str:
            return drawn.say(drawn.option(identifier).text, self.language)

        if isinstance(solution, str):
            return [say(solution)]
        if isinstance(solution, dict):
            return [f"{say(item)} → {say(partner)}" for item, partner in solution.items()]
        return [f"{number}. {say(item)}" for number, item in enumerate(solution, 1)]

    def _wrong(self, asked: Asked) -> list[Block]:
        judged = asked.judged
        assert judged is not None
        said = self._given_words(asked)
        text = inline(said) if asked.question.kind == "choice" else Content(said)  # in arithmetic, * is no emphasis
        blocks = [Block(Content.assemble(("✗ ", "bold $error"), text.stylize("$error")))] if said else []
        for item, explanation in zip_longest(judged.wrong, judged.explanations):
            if explanation is None:
                break  # of an order only the first that is out of place
            if item is not None:
                about = inline(asked.drawn.say(asked.drawn.option(item).text, self.language))
                blocks += [BLANK, Block(about.stylize("$error"))]
            blocks += markdown_blocks(explanation[self.language], self.code)
        if asked.question.variables:
            blocks += [BLANK, line((self.tr("Once more, with other numbers:"), "italic $muted"))]
        return [*blocks, BLANK] if not asked.question.variables else blocks

    def _given_words(self, asked: Asked) -> str:
        if asked.question.kind == "number":
            return asked.last
        if asked.question.kind == "choice":
            return asked.drawn.say(asked.drawn.option(asked.last).text, self.language)
        if asked.question.kind == "order":
            return self.tr("Not yet. The first line out of place:")
        return self.tr("Not yet.")

    def _option(self, asked: Asked, identifier: str, sign: tuple[str, str], after: Content = NOTHING) -> Block:
        text = inline(asked.drawn.say(asked.drawn.option(identifier).text, self.language))
        prefix = Content.assemble(" ", (sign[0].rjust(2), sign[1]), " ")
        return Block(
            text + after.stylize("bold $primary"),
            first=prefix,
            rest=Content("    "),
            target=Pick(asked.question.id, identifier),
        )

    def _choice(self, asked: Asked) -> list[Block]:
        signs = {True: ("✗", "$error"), False: ("○", "$primary")}
        return [self._option(asked, option, signs[option in asked.tried]) for option in asked.drawn.shown]

    def _number(self, asked: Asked) -> list[Block]:
        row = line(("  = ", "$primary"), (asked.typed, "bold"), ("▏", "$accent"), target=Check(asked.question.id))
        note = self.tr("Type a number, or the arithmetic; Enter answers.")
        if asked.unclear:
            note = self.tr("That can't be read as a number.")
        return [row, line((note, "$warning" if asked.unclear else "$muted"))]

    def _order(self, asked: Asked) -> list[Block]:
        rows = []
        for number, item in enumerate(asked.order, 1):
            sign = (f"✗{number}", "$error") if asked.still_wrong(item) else (str(number), "$primary")
            if item == asked.lifted:
                sign = ("⇅", "bold $accent")
            rows.append(self._option(asked, item, sign))
        note = self.tr("Enter lifts a line, ↑ ↓ move it, Enter puts it down.")
        return [*rows, self._check(asked), line((note, "$muted"))]

    def _match(self, asked: Asked) -> list[Block]:
        rows = []
        for item in asked.drawn.shown:
            partner = asked.partners.get(item)
            said = asked.drawn.say(asked.drawn.option(partner).text, self.language) if partner else "…"
            sign = ("✗", "$error") if asked.still_wrong(item) else ("·", "$primary")
            rows.append(self._option(asked, item, sign, Content(" → ") + inline(said)))
        note = self.tr("↑ ↓ go to a line, ← → choose its partner.")
        if asked.unclear:
            note = self.tr("Every line needs a partner: ↑ goes back to one, ← → choose.")
        return [*rows, self._check(asked), line((note, "$warning" if asked.unclear else "$muted"))]

    def _check(self, asked: Asked) -> Block:
        text = Content.styled(self.tr("Check the answer"), "bold $primary")
        return Block(text, first=Content("  › "), target=Check(asked.question.id))
