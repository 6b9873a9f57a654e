"""Reads a question: its structure from a ``.toml``, its words from the sections beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast, get_args

from tritontui.course.arithmetic import ExpressionError, names
from tritontui.course.evidence import BELOW, RUNG
from tritontui.course.markdown import Section
from tritontui.course.model import Experiment, Language, Option, Question, QuestionKind, Rung, Text, Topic
from tritontui.course.opening import CLOSING
from tritontui.course.questions import OTHER, all_draws, faults, fill
from tritontui.course.structure import Table
from tritontui.course.words import Words, bodies, prompts, titles

ANSWER = "answer"
"""Id of the section that holds what is said with the right answer, where no option can hold it."""

REVEAL = "reveal"
"""Id of the section that says, in the next lesson, how a closing question is answered."""


class QuestionReader:
    """``thorough`` also says every text and number under every draw."""

    def __init__(self, words: Words, thorough: bool) -> None:
        self._words = words
        self._thorough = thorough

    def read(
        self,
        table: Table,
        parents: dict[Language, Section],
        *,
        recall: bool,
        default_kind: QuestionKind | None = None,
        experiment: Experiment | None = None,
    ) -> Question:
        """The question of ``table``; its section stands in ``parents``. ``recall`` holds unless the table says it.

        ``experiment`` is the one whose figures it may be about.
        """
        identifier = table.string("id")
        kind = cast(QuestionKind, table.one_of("kind", get_args(QuestionKind), default_kind) or "choice")
        sections = self._words.sections(parents, identifier, "question", table)
        values, answer = _answers(table, kind)
        variables = table.numbers("variables")
        topic = cast(Topic, table.one_of("topic", get_args(Topic), "figures" if experiment else "reasons"))
        recalled = table.flag("recall", recall)
        measuring = _measuring(table, kind) if experiment is not None else {}
        table.finish()
        wanted = list(values) if kind == "choice" else [*values, ANSWER]
        partners = [option for option, value in values.items() if kind == "match" and value is None]
        texts = {option: self._words.sections(sections, option, "option", table) for option in wanted}
        self._words.check_order(sections, wanted, ordered=False)
        self._words.check_explained([texts[option] for option in wanted if option not in partners])
        options = tuple(
            Option(option, titles(texts[option]), bodies(texts[option]), value) for option, value in values.items()
        )
        explained = texts.get(cast(str, answer) if kind == "choice" else ANSWER, {})
        question = Question(
            identifier,
            kind,
            prompts(sections),
            options,
            answer,
            bodies(explained),
            variables,
            topic,
            recalled,
            **measuring,
        )
        if experiment is None:
            self._check_arithmetic(question, table, sections)
            return question
        return self._measured(question, table, experiment)

    def _measured(self, question: Question, table: Table, experiment: Experiment) -> Question:
        """The question, checked; and whether it is a prediction."""
        from tritontui.course.experiments import faults_of, is_prediction, unknown_names

        try:
            for key, expression in _expressions(question):
                for unknown in sorted(unknown_names(expression, question, experiment)):
                    table.fault(f"'{expression}' reads {unknown}, which is neither a variable nor an entry here", key)
                    return question
            if self._thorough:
                for fault in faults_of(question, experiment):
                    table.fault(fault)
            return question._replace(prediction=is_prediction(question))
        except ExpressionError as error:
            table.fault(str(error))
            return question

    def closing(self, table: Table, roots: dict[Language, Section]) -> Question:
        """``[closing]``: options without explanations, or a number, and what the next lesson says of them."""
        kind = cast(QuestionKind, table.one_of("kind", ("choice", "number")) or "choice")
        sections = self._words.sections(roots, CLOSING, "question", table)
        options = table.strings("options") if kind == "choice" else ()
        answer = table.string("answer")
        if kind == "choice" and answer not in options:
            table.fault(f"the answer '{answer}' is none of the options", "answer")
        table.finish()
        wanted = [*options, REVEAL]
        texts: dict[str, dict[Language, Section]] = {
            option: self._words.sections(sections, option, "option", table) for option in wanted
        }
        self._words.check_order(sections, wanted, ordered=False)
        self._words.check_explained([texts[REVEAL]])
        nothing: Text = dict.fromkeys(roots, "")
        question = Question(
            CLOSING,
            kind,
            prompts(sections),
            tuple(Option(option, titles(texts[option]), nothing) for option in options),
            answer,
            bodies(texts[REVEAL]),
            recall=False,
        )
        self._check_arithmetic(question, table, sections)
        return question

    def standing(self, rungs: Sequence[Rung], parents: dict[Language, Section], table: Table) -> Question:
        """An evidence step's question on which rung the learner stands. Options say what comes next from there."""
        sections = self._words.sections(parents, RUNG, "question", table)
        wanted = [BELOW, *(rung.id for rung in rungs)]
        texts = {option: self._words.sections(sections, option, "option", table) for option in wanted}
        self._words.check_order(sections, wanted)
        self._words.check_explained(list(texts.values()))
        options = tuple(Option(option, titles(texts[option]), bodies(texts[option])) for option in wanted)
        return Question(RUNG, "choice", prompts(sections), options, "", dict.fromkeys(parents, ""), recall=False)

    def _check_arithmetic(self, question: Question, table: Table, sections: dict[Language, Section]) -> None:
        """Expressions over known variables only; when thorough, every text and number under every draw."""
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
        if not self._thorough:
            return
        sound = True
        for language, section in sections.items():
            for part in (section, *section.sections):
                try:
                    fill(f"{part.title}\n{part.text}", all_draws(question)[0])
                except ExpressionError as error:
                    sound = False
                    self._words.note(language, part.line, str(error))
        if sound:
            for fault in faults(question):
                table.fault(fault, "variables")


def _answers(table: Table, kind: QuestionKind) -> tuple[dict[str, str | None], str | tuple[str, ...]]:
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
    if table.has("when"):  # the figures say which is right
        return values, ""
    answer = table.string("answer")
    if answer not in values:
        table.fault(f"the answer '{answer}' is none of the options", "answer")
    return values, answer


def _measuring(table: Table, kind: QuestionKind) -> dict[str, Any]:
    """What a question of a measure step has besides."""
    return {
        "when": table.mapping("when", {}) if kind == "choice" else {},
        "tolerance": table.number("tolerance", 0.0) if kind == "number" else 0.0,
        "after": table.one_of("ask", ("before", "after"), "before") == "after",
    }


def _expressions(question: Question) -> list[tuple[str, str]]:
    """The key in the ``.toml`` and the expression, for every expression that decides an answer."""
    if question.kind != "number":
        return [("when", condition) for condition in question.when.values()]
    wrong = [("wrong", option.value) for option in question.options if option.value is not None]
    return [("answer", cast(str, question.answer)), *wrong]
