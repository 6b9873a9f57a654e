"""The course itself: both languages say the same and fit the pane; recorded submissions get their verdicts."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tritontui.commands.verify import expectations
from tritontui.course.loader import load_course
from tritontui.course.model import LANGUAGES, Lesson, Text
from tritontui.diagnosis import identifiers

COURSE = load_course(thorough=True)
CODE_COLUMNS = 38
"""What a lesson pane of 44 columns has for code."""

FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)

INLINE = re.compile(r"`[^`\n]*`")


def texts(lesson: Lesson) -> Iterator[tuple[str, Text]]:
    """Every text of a lesson with where it stands."""
    yield "title", lesson.title
    for outcome in lesson.outcomes:
        yield outcome.id, outcome.text
    for step in lesson.steps:
        yield f"{step.id}.title", step.title
        yield step.id, step.body
        for question in step.questions:
            yield f"{step.id}.{question.id}", question.prompt
            yield f"{step.id}.{question.id}.right", question.explanation
            for option in question.options:
                yield f"{step.id}.{question.id}.{option.id}", option.text
                yield f"{step.id}.{question.id}.{option.id}.why", option.explanation
        if step.exercise is not None and step.exercise.judged:
            for number, hints in enumerate(zip(*step.exercise.hints.values(), strict=True)):
                yield f"{step.exercise.id}.hint{number}", dict(zip(LANGUAGES, hints, strict=True))


EVERY_TEXT = [
    pytest.param(text, id=f"{lesson.number}.{where}") for lesson in COURSE.lessons for where, text in texts(lesson)
]


@pytest.mark.parametrize("text", EVERY_TEXT)
def test_code_is_the_same_in_both_languages_and_fits_the_pane(text: Text) -> None:
    blocks = {language: FENCED.findall(text[language]) for language in LANGUAGES}
    assert len(blocks["en"]) == len(blocks["it"])
    for english, italian in zip(blocks["en"], blocks["it"], strict=True):
        assert english.count("\n") == italian.count("\n")
        if english.startswith("```python") and "…" not in english:
            assert english == italian
        too_wide = [line for line in (english + "\n" + italian).splitlines() if len(line) > CODE_COLUMNS]
        assert not too_wide


@pytest.mark.parametrize("text", EVERY_TEXT)
def test_numbers_are_the_same_in_both_languages(text: Text) -> None:
    """Thousands and decimals are written each language's own way; the digits are the same."""

    def digits(language: str) -> list[str]:
        prose = FENCED.sub("", text[language])  # type: ignore[index]  # a Language
        return sorted(re.sub(r"[.,](?=\d)", "", number) for number in re.findall(r"\d[\d.,]*\d|\d", prose))

    assert digits("en") == digits("it")


@pytest.mark.parametrize("text", EVERY_TEXT)
def test_the_prose_keeps_to_the_glossary(text: Text) -> None:
    italian, english = (INLINE.sub("", FENCED.sub("", text[language])) for language in ("it", "en"))
    assert not re.search(
        r"memorizz|\bquì\b|perchè|\blane[s]\b|\bkernels\b|programm[ao] istanza|!", italian, re.IGNORECASE
    )
    assert "!" not in english


def test_attempts_name_known_diagnoses() -> None:
    for expected in expectations(COURSE):
        assert expected.diagnosis is None or expected.diagnosis in identifiers()


def test_every_exercise_has_attempts_and_hints() -> None:
    for lesson in COURSE.lessons:
        for step in lesson.steps:
            if step.exercise is not None and step.exercise.judged:
                assert len(step.exercise.attempts) >= 4
                assert 2 <= len(step.exercise.hints["en"]) <= 4


def test_every_recorded_submission_gets_its_verdict(tmp_path: Path) -> None:
    """Starters fail, solutions pass without a word, wrong attempts get their diagnosis on their line."""
    command = [sys.executable, "-m", "tritontui", "verify", "--device", "cpu", "--json"]
    environ = {**os.environ, "TRITONTUI_HOME": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, env=environ)
    report = json.loads(done.stdout)
    wrong = [item for item in report["items"] if not item["ok"]]
    assert not wrong, "\n".join(map(str, wrong))
    assert (done.returncode, report["failed"], report["passed"]) == (0, 0, len(list(expectations(COURSE))))
