"""The reports of lesson 2 are what the doctor really prints of such machines."""

from __future__ import annotations

import pytest
from sick_machines import MACHINES, report

from tritontui.course.loader import load_course
from tritontui.i18n import LANGUAGES

STEP = next(step for step in load_course().lesson(2).steps if step.id == "five-sick-reports")


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_lesson_shows_what_the_doctor_prints(machine: str, language: str) -> None:
    question = next(question for question in STEP.questions if question.id == machine)
    printed = report(machine, language)  # type: ignore[arg-type]  # a Language
    assert f"```text\n{printed}\n```" in question.prompt[language]  # type: ignore[index]


def test_every_report_has_its_machine() -> None:
    assert {question.id for question in STEP.questions} == set(MACHINES)
