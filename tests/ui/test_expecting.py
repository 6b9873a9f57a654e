"""Predictions about verdicts: an exercise judged cold, and a passing kernel broken on purpose."""

from pathlib import Path

import pytest
from driving import Driver, opened, work_file
from test_openings_and_closings import choose

from tritontui.ui.learner.study import COLD

WRITES_X, RIGHT = "tl.store(out_ptr + offs, x, mask=mask)", "tl.store(out_ptr + offs, -x, mask=mask)"
BREAK = "break/mask-of-the-load"


def solution(course: Path) -> str:
    return (course / "02-after/exercises/negate/solution.py").read_text()


async def passed(driver: Driver, course: Path) -> None:
    """The cold exercise, written, predicted rightly, and judged."""
    await driver.go("opposite")
    await driver.set_text(solution(course))
    driver.workspace.show_pane("lesson")
    await choose(driver, "pass")
    await choose(driver, "certain")
    await driver.press("ctrl+r")
    await driver.judged()


# ---------------------------------------------------------------- judged cold


async def test_nothing_is_judged_or_traced_before_the_learner_has_said_what_to_expect(
    home: Path, small_course: Path
) -> None:
    async with opened(lesson=2) as driver:
        await driver.go("opposite")
        controller, editor = driver.app.controller, driver.workspace.editor
        assert controller.view.sealed == "prediction"
        assert driver.app.focused is editor and not editor.read_only, "the editor takes keys"
        await driver.press("#")
        await driver.set_text(editor.text.replace(WRITES_X, "tl.store(out_ptr +"))
        assert controller.view.syntax is None and controller.view.report is None and not controller.view.running
        assert "once you have said in its step what you expect" in driver.shown("verdict")
        await driver.press("ctrl+r")
        assert controller.view.report is None and not controller.view.running
        assert driver.app.focused is driver.lesson, "the question is where it is asked"
        assert "What will the judge say of your kernel?" in driver.lesson.plain


async def test_the_first_verdict_answers_the_prediction(home: Path, small_course: Path) -> None:
    async with opened((120, 16), lesson=2) as driver:
        await driver.go("opposite")
        study = driver.app.study
        driver.workspace.show_pane("lesson")
        await choose(driver, "pass")
        assert "How sure are you?" in driver.lesson.plain
        await choose(driver, "rather")
        assert driver.app.controller.view.report is None, "saying it judges nothing yet"
        assert driver.app.focused is driver.workspace.editor
        await driver.press("ctrl+r")
        await driver.judged()
        prediction = study.prediction(COLD)
        assert prediction is not None
        assert (prediction.given, prediction.figure, prediction.correct, prediction.confidence) == (
            "pass",
            "wrong",
            False,
            70,
        )
        assert "It came out otherwise:" in driver.lesson.plain
        assert "It stays inside its tensors, but leaves something wrong" in driver.lesson.plain
        view = driver.lesson
        assert view.max_scroll_y > 0, "the step is longer than the pane"
        in_view = " ".join(" ".join(view.render_line(y).text for y in range(view.size.height)).split())
        assert "leaves something wrong" in in_view.partition("came out otherwise")[2], "all of the outcome is in view"
        await driver.set_text(driver.workspace.editor.text.replace(WRITES_X, RIGHT))
        await driver.judged()  # live from now on
        assert study.is_done(study.step)
        assert study.prediction(COLD) == prediction, "only the first verdict counts"
    async with opened(lesson=2) as driver:
        await driver.go("opposite")
        assert not driver.app.controller.view.sealed
        assert "It came out otherwise:" in driver.lesson.plain


@pytest.mark.parametrize(
    ("old", "new", "option"),
    [
        (WRITES_X, RIGHT, "pass"),
        ("tl.load(x_ptr + offs, mask=mask)", "tl.load(x_ptr + offs)", "outside"),
        ("tl.arange(0, BLOCK)", "tl.arange(0, n)", "refused"),
        ("return out", "return out)", "refused"),
    ],
)
async def test_every_kind_of_verdict_can_be_foreseen(
    home: Path, small_course: Path, old: str, new: str, option: str
) -> None:
    async with opened(lesson=2, language="it") as driver:
        await driver.go("opposite")
        await driver.set_text(driver.workspace.editor.text.replace(old, new))
        driver.workspace.show_pane("lesson")
        await choose(driver, option)
        await choose(driver, "certain")
        await driver.press("ctrl+r")
        await driver.until(lambda: getattr(driver.app.study.prediction(COLD), "correct", None) is not None)
        assert driver.app.study.prediction(COLD).correct is True
        assert "Come avevi detto." in driver.lesson.plain


async def test_a_cold_kernel_is_not_judged_from_another_step(home: Path, small_course: Path) -> None:
    async with opened(lesson=2) as driver:
        await driver.go("opening")
        await driver.press("ctrl+r")
        assert driver.app.controller.view.sealed == "prediction" and driver.app.controller.view.report is None


# ---------------------------------------------------------------- broken on purpose


async def test_a_break_is_foreseen_made_judged_and_undone(home: Path, small_course: Path) -> None:
    async with opened(lesson=2) as driver:
        await passed(driver, small_course)
        study, editor = driver.app.study, driver.workspace.editor
        right = editor.text
        assert "Take the mask off the load" in driver.lesson.plain
        driver.workspace.show_pane("lesson")
        await driver.press("b")
        assert driver.app.controller.view.sealed == "break", "the map must not tell"
        driver.workspace.results.pick("verdict")
        assert "make the change" in driver.shown("verdict") and "cold" not in driver.shown("verdict")
        await choose(driver, "out-of-bounds-read")
        await choose(driver, "guess")
        await driver.set_text(right.replace("x_ptr + offs, mask=mask", "x_ptr + offs"))
        assert driver.app.controller.view.report is None
        await driver.press("ctrl+r")
        await driver.judged()
        assert "As you said." in driver.lesson.plain
        assert "Those of the last program that the mask kept inside." in driver.lesson.plain
        prediction = study.prediction(BREAK)
        assert prediction is not None and (prediction.correct, prediction.confidence) == (True, 40)
        assert study.is_done(study.step) and study.history.passed(study.exercise)
        assert [record.verdict for record in study.progress.attempts("negate")] == ["pass"], "it was no attempt"
        driver.workspace.show_pane("lesson")
        await driver.press("b")
        assert editor.text == right
        await driver.judged()
        assert driver.app.controller.view.verdict == "pass"
        assert "Launch eight times as many programs" in driver.lesson.plain, "the next one is offered"
        assert work_file(home, "negate").read_text() == right


async def test_another_change_than_the_one_asked_for_is_not_scored(home: Path, small_course: Path) -> None:
    async with opened(lesson=2, language="it") as driver:
        await passed(driver, small_course)
        right = driver.workspace.editor.text
        driver.workspace.show_pane("lesson")
        await driver.press("b")
        await choose(driver, "pass")
        await choose(driver, "rather")
        await driver.set_text(right.replace("-x", "-x[0]"))
        await driver.press("ctrl+r")
        await driver.judged()
        assert "non è il cambiamento richiesto" in driver.lesson.plain
        assert driver.app.study.prediction(BREAK).correct is None
        await driver.set_text(right.replace("x_ptr + offs, mask=mask", "x_ptr + offs"))
        await driver.judged()
        assert driver.app.study.prediction(BREAK).correct is None, "it is judged when it is asked for"
        await driver.press("ctrl+r")
        await driver.until(lambda: driver.app.study.prediction(BREAK).correct is not None)
        assert driver.app.study.prediction(BREAK).correct is False
        said = driver.lesson.plain.replace("\n", " ")
        told = ("I valori sono giusti, eppure", "È andata diversamente:", "Quelle dell'ultimo programma")
        assert [words in said for words in told] == [True] * 3
        assert said.index(told[0]) < said.index(told[1]) < said.index(told[2])


async def test_the_next_break_begins_from_the_kernel_that_passed(
    home: Path, small_course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(lesson=2) as driver:
        await passed(driver, small_course)
        right = driver.workspace.editor.text
        driver.workspace.show_pane("lesson")
        await driver.press("b")
        await choose(driver, "out-of-bounds-read")
        await choose(driver, "rather")
        await driver.set_text(right.replace("x_ptr + offs, mask=mask", "x_ptr + offs"))
        await driver.press("ctrl+r")
        await driver.judged()
        driver.workspace.show_pane("lesson")
        await driver.press("up", "up", "enter")
        assert driver.workspace.editor.text == right
        assert "Launch eight times as many programs" in driver.lesson.plain
        await choose(driver, "no-work")
        await choose(driver, "rather")
        await driver.set_text(right.replace("triton.cdiv(n, 64)", "8 * triton.cdiv(n, 64)"))
        await driver.press("ctrl+r")
        await driver.judged()
        assert "As you said." in driver.lesson.plain, "a warning is something that is found"
        told: list[str] = []
        monkeypatch.setattr(driver.workspace, "notify", told.append)
        driver.workspace.show_pane("lesson")
        await driver.press("up", "up", "up", "down", "enter")
        await driver.judged()
        assert driver.workspace.editor.text == right and not told, "putting it back breaks nothing again"


async def test_the_kernel_comes_back_when_the_step_or_the_application_is_left(home: Path, small_course: Path) -> None:
    async with opened(lesson=2) as driver:
        await passed(driver, small_course)
        right = driver.workspace.editor.text
        driver.workspace.show_pane("lesson")
        await driver.press("b")
        await driver.set_text("broken\n")
        await driver.go("opening")
        assert driver.workspace.editor.text == right
        await driver.go("opposite")
        await driver.judged()
        driver.workspace.show_pane("lesson")
        await driver.press("b")
        await driver.set_text("broken again\n")
        await driver.press("ctrl+q")
    assert work_file(home, "negate").read_text() == "broken again\n"
    async with opened(lesson=2) as driver:
        await driver.go("opposite")
        assert driver.workspace.editor.text == right
        assert work_file(home, "negate").read_text() == right


async def test_there_is_nothing_to_break_before_it_passes(home: Path, small_course: Path) -> None:
    async with opened(lesson=1) as driver:
        await driver.go("ask")
        await driver.press("b")
        assert driver.lesson.quiz is not None and driver.app.controller.view.sealed != "prediction"


async def test_where_the_lesson_is_out_of_sight_the_outcome_is_told(
    home: Path, small_course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(size=(80, 24), lesson=2, language="it") as driver:
        told: list[str] = []
        monkeypatch.setattr(driver.workspace, "notify", told.append)
        await driver.go("opposite")
        await driver.set_text(solution(small_course))
        await driver.press("ctrl+r")
        assert not told  # it would cover the very answers
        view = driver.lesson
        rows = range(view.scroll_offset.y, view.scroll_offset.y + view.size.height)
        assert view.cursor is not None and any(view._rows[row].block == view.cursor for row in rows)
        await choose(driver, "wrong")
        await choose(driver, "guess")
        await driver.press("ctrl+r")
        await driver.judged()
        assert told == ["Non come avevi detto: il resto è nella lezione."], "what may be broken stands in the verdict"


async def test_what_may_be_broken_is_said_in_the_verdict_where_a_toast_would_cover_it(
    home: Path, small_course: Path
) -> None:
    async with opened((80, 24), lesson=2, notifications=True) as driver:
        await passed(driver, small_course)
        assert driver.workspace.pane == "results"
        assert "breaks it on purpose" in driver.shown("verdict")
        told = [notification.message for notification in driver.app._notifications]
        assert not any("It passes" in message for message in told), told
        for size, there in (((120, 40), False), ((100, 30), False), ((80, 24), True)):
            await driver.pilot.resize_terminal(*size)
            await driver.pilot.pause()
            assert ("breaks it on purpose" in driver.shown("verdict")) is there, "beside the lesson, which says so"
