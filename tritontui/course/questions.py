"""Asking a question: its numbers are drawn, an answer is judged, and every wrong answer has its own explanation."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from random import Random
from typing import NamedTuple

from tritontui.course.arithmetic import ExpressionError, Number, evaluate, holds, reads_figures
from tritontui.course.figures import Figures
from tritontui.course.model import LANGUAGES, Language, Option, Question, Text
from tritontui.i18n.numbers import localised

OTHER = "other"
"""Id of the option that explains any number nobody foresaw."""

Answer = str | Sequence[str] | Mapping[str, str]
"""choice: an option's id; number: what was typed; order: ids; match: partner's id by id."""

_SUPERSCRIPTS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")

_FIELD = re.compile(r"\{\{|\}\}|\{([^{}\n]*)\}")

_CODE = re.compile(r"(```.*?```|`[^`\n]*`)", re.DOTALL)
"""What stands in a lesson as Python would read it."""

_GROUPED = re.compile(r"[1-9]\d{0,2}(?:(?:,\d{3})+|(?:\.\d{3})+)")
"""A whole number with its thousands set apart, as the lessons write them."""

ROUNDING = 1e-2
"""A number that isn't whole may be given in two significant digits."""


class AnswerError(ValueError):
    """What was given is no answer to this kind of question (text where a number belongs): it is asked for again."""


class Judged(NamedTuple):
    """Whether an answer was right, and what to say about it, in every language."""

    correct: bool
    explanations: tuple[Text, ...]
    wrong: tuple[str, ...] = ()
    """order, match: ids of the items that stand in the wrong place, as shown; explanations are of the first ones."""


class Drawn(NamedTuple):
    """A question with its numbers drawn, as it stands on the screen."""

    question: Question
    variables: Mapping[str, int]
    shown: tuple[str, ...]
    """Ids of the options in the order shown: choice and order all, match the items that look for a partner."""
    partners: tuple[str, ...] = ()
    """match: ids of the partners, in the order shown."""
    figures: Figures | None = None
    """What was measured, once it was."""

    def measured(self, figures: Figures) -> Drawn:
        """The same question, with the figures that answer it."""
        return self._replace(figures=figures)

    def say(self, text: Text, language: Language) -> str:
        """``text`` with ``{expressions}`` replaced by their values; ``{{`` and ``}}`` are braces."""
        return fill(text[language], self.variables, self.figures, language)

    def prompt(self, language: Language) -> str:
        return self.say(self.question.prompt, language)

    def option(self, identifier: str) -> Option:
        """The option with that id; KeyError when there is none."""
        return self.question.option(identifier)

    def solution(self) -> str | tuple[str, ...] | dict[str, str]:
        """The right answer: choice an id, number its text, order ids, match partners by id."""
        question = self.question
        if question.kind == "number":
            assert isinstance(question.answer, str)
            value = evaluate(question.answer, self.variables, self.figures)
            return plain(_measured(value) if reads_figures(question.answer) else value)
        if question.kind == "match":
            return _pairs(question)
        return right_option(question, self.variables, self.figures) if question.when else question.answer

    def explanation(self) -> Text:
        """What is said with the right answer, its fields not filled in."""
        solution = self.solution() if self.question.when else None
        return self.option(solution).explanation if isinstance(solution, str) else self.question.explanation

    def distance(self, answer: Answer) -> float | None:
        """number: how far the answer is from the right one, as a share of it; None where that says nothing."""
        if self.question.kind != "number" or not isinstance(self.question.answer, str):
            return None
        right = evaluate(self.question.answer, self.variables, self.figures)
        return min(abs(value - right) for value in _readings(answer, self.variables)) / abs(right) if right else None

    def judge(self, answer: Answer) -> Judged:
        """Raises AnswerError when ``answer`` is not of the question's kind."""
        judge = {"choice": _judge_choice, "number": _judge_number, "order": _judge_order, "match": _judge_match}
        judged = judge[self.question.kind](self, answer)
        filled = tuple({language: self.say(text, language) for language in LANGUAGES} for text in judged.explanations)
        return Judged(judged.correct, filled, judged.wrong)


def draw(question: Question, random: Random, before: Drawn | None = None) -> Drawn:
    """Draw the numbers and the order of the options; other numbers than ``before`` where there are others."""
    variables = {name: random.choice(values) for name, values in question.variables.items()}
    if before is not None:
        variables = random.choice(_others(question, before))
    if question.kind == "number":
        return Drawn(question, variables, ())
    if question.kind == "match":
        pairs = _pairs(question)
        partners = [option.id for option in question.options if option.value is None]
        return Drawn(question, variables, _shuffled(list(pairs), random), _shuffled(partners, random))
    shown = _shuffled([option.id for option in question.options], random)
    if question.kind == "order" and shown == question.answer and len(shown) > 1:
        shown = (*shown[1:], shown[0])  # never hand out the solution
    return Drawn(question, variables, shown)


def _others(question: Question, before: Drawn) -> list[dict[str, int]]:
    """Other draws than ``before``, where there are; if possible of another answer, for this one may have been told."""
    others = [draws for draws in all_draws(question) if draws != before.variables]
    if question.kind == "number" and isinstance(question.answer, str) and not reads_figures(question.answer):
        told = evaluate(question.answer, before.variables)
        others = [draws for draws in others if evaluate(question.answer, draws) != told] or others
    return others or [dict(before.variables)]


def all_draws(question: Question) -> list[dict[str, int]]:
    """Every combination of the question's variables."""
    return [
        dict(zip(question.variables, values, strict=True)) for values in itertools.product(*question.variables.values())
    ]


def right_option(question: Question, variables: Mapping[str, int], figures: Figures | None) -> str:
    """choice: the option whose condition the figures meet. Raises ExpressionError when none's is met, or several'."""
    met = [option for option, condition in question.when.items() if holds(condition, variables, figures)]
    if len(met) != 1:
        raise ExpressionError(f"by these figures {', '.join(met) or 'no option'} would be right")
    return met[0]


def fill(text: str, variables: Mapping[str, int], figures: Figures | None = None, language: Language = "en") -> str:
    """``text`` with its ``{expressions}`` evaluated, written as the language does; ``2{^k}`` is 2 to the power of k.

    In code, between backticks, a number is written as Python reads it: ``BLOCK=1024``. Raises ExpressionError.
    """

    def value(match: re.Match[str], write: Callable[[Number], str]) -> str:
        if match[1] is None:
            return match[0][0]
        if match[1].startswith("^"):
            return plain(evaluate(match[1][1:], variables, figures)).translate(_SUPERSCRIPTS)
        found = evaluate(match[1], variables, figures)
        written = grouped(_measured(found)) if reads_figures(match[1]) else write(found)
        return localised(written, language)

    parts = _CODE.split(text)  # by turns what is said and what is code
    writers = itertools.cycle((grouped, plain))
    return "".join(_FIELD.sub(partial(value, write=write), part) for part, write in zip(parts, writers, strict=False))


def plain(value: Number) -> str:
    """A number as one writes it: whole ones without a point, others with about four significant digits."""
    return f"{value:.0f}" if value == int(value) or abs(value) >= 1000 else f"{value:.4g}"


def grouped(value: Number) -> str:
    """A number as one writes it in a text: ``plain``, with its thousands set apart."""
    whole, point, decimals = plain(value).partition(".")
    return f"{int(whole):,}{point}{decimals}" if abs(value) >= 1000 else whole + point + decimals


def _measured(value: Number) -> float:
    """What was measured, to three significant digits, whole from 100 on: the rest is noise."""
    return float(f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}")


def fields(text: str) -> list[str]:
    """The expressions in ``text``."""
    return [match[1].removeprefix("^") for match in _FIELD.finditer(text) if match[1] is not None]


def faults(question: Question, figures: Figures | None = None) -> list[str]:
    """What goes wrong in ``question`` under some draw: a field without a value, a wrong number that is right."""
    found: dict[str, None] = {}
    for variables in all_draws(question):
        try:
            for text in _texts(question):
                fill(text, variables, figures)
            if question.when:
                right_option(question, variables, figures)
            if question.kind == "number" and reads_figures(str(question.answer)):
                evaluate(str(question.answer), variables, figures)
            elif question.kind == "number":
                found.update(dict.fromkeys(_collisions(question, variables)))
        except ExpressionError as error:
            found[str(error)] = None
    return list(found)


# ---------------------------------------------------------------- judging, by kind


def _judge_choice(drawn: Drawn, answer: Answer) -> Judged:
    question = drawn.question
    option = _by_id(question).get(answer) if isinstance(answer, str) else None
    if option is None:
        raise AnswerError(f"{answer!r} is none of the options")
    if option.id == drawn.solution():
        return Judged(True, (drawn.explanation(),))
    return Judged(False, (option.explanation,))


def _met(value: Number, expression: str, drawn: Drawn) -> bool:
    """Whether ``value`` is the expression's, or near enough where that is a figure."""
    wanted = evaluate(expression, drawn.variables, drawn.figures)
    tolerance = drawn.question.tolerance
    return (
        math.isclose(value, wanted, rel_tol=0, abs_tol=tolerance * abs(wanted)) if tolerance else _equal(value, wanted)
    )


def _judge_number(drawn: Drawn, answer: Answer) -> Judged:
    question = drawn.question
    assert isinstance(question.answer, str)
    meant = _readings(answer, drawn.variables)
    if any(_met(value, question.answer, drawn) for value in meant):
        return Judged(True, (question.explanation,))
    for option in question.options:
        if option.value is not None and any(_met(value, option.value, drawn) for value in meant):
            return Judged(False, (option.explanation,))
    return Judged(False, (question.option(OTHER).explanation,))


def read_number(answer: Answer, variables: Mapping[str, int]) -> Number:
    """What a learner types as a number: ``1000``, ``1_000``, ``1.048.576``, ``0,5``, or the arithmetic, ``3*256``.

    The question's variables may be used by name. Raises AnswerError.
    """
    return _readings(answer, variables)[0]


def _readings(answer: Answer, variables: Mapping[str, int]) -> tuple[Number, ...]:
    """What may be meant: ``65.536`` is a decimal number, and in Italian a whole one. Raises AnswerError."""
    if not isinstance(answer, str) or not answer.strip():
        raise AnswerError("a number is wanted")
    text = answer.strip()
    grouped = (int(re.sub("[.,]", "", text)),) if _GROUPED.fullmatch(text) else ()
    if re.fullmatch(r"[+-]?\d+,\d+", text):  # the decimal comma of an Italian keyboard
        text = text.replace(",", ".")
    try:
        return evaluate(text, variables), *grouped
    except ExpressionError as error:
        if grouped:
            return grouped
        raise AnswerError(str(error)) from error


def _judge_order(drawn: Drawn, answer: Answer) -> Judged:
    question = drawn.question
    if isinstance(answer, str | Mapping) or sorted(answer) != sorted(question.answer):
        raise AnswerError("every item is wanted, once")
    wrong = tuple(given for given, right in zip(answer, question.answer, strict=True) if given != right)
    if not wrong:
        return Judged(True, (question.explanation,))
    return Judged(False, (question.option(wrong[0]).explanation,), wrong)


def _judge_match(drawn: Drawn, answer: Answer) -> Judged:
    question = drawn.question
    pairs = _pairs(question)
    if not isinstance(answer, Mapping) or answer.keys() != pairs.keys():
        raise AnswerError("every item needs a partner")
    wrong = tuple(item for item in drawn.shown or pairs if answer[item] != pairs[item])
    if not wrong:
        return Judged(True, (question.explanation,))
    options = _by_id(question)
    return Judged(False, tuple(options[item].explanation for item in wrong), wrong)


# ---------------------------------------------------------------- small parts


def _by_id(question: Question) -> dict[str, Option]:
    return {option.id: option for option in question.options}


def _pairs(question: Question) -> dict[str, str]:
    return {option.id: option.value for option in question.options if option.value is not None}


def _shuffled(items: list[str], random: Random) -> tuple[str, ...]:
    return tuple(random.sample(items, len(items)))


def _equal(a: Number, b: Number) -> bool:
    return math.isclose(a, b, rel_tol=ROUNDING) if isinstance(a, float) or isinstance(b, float) else a == b


def _texts(question: Question) -> list[str]:
    texts = [question.prompt, question.explanation]
    for option in question.options:
        texts += [option.text, option.explanation]
    return [said for text in texts for said in text.values()]


def _collisions(question: Question, variables: Mapping[str, int]) -> list[str]:
    """Two foreseen numbers that are one under this draw: the learner would get the wrong explanation."""
    assert isinstance(question.answer, str)
    seen = {plain(evaluate(question.answer, variables)): "the answer"}
    found = []
    for option in question.options:
        if option.value is None:
            continue
        value = plain(evaluate(option.value, variables))
        if value in seen:
            draw_text = ", ".join(f"{name} = {number}" for name, number in variables.items())
            found.append(f"'{option.id}' equals {seen[value]} ({value}) when {draw_text}")
        seen[value] = f"'{option.id}'"
    return found
