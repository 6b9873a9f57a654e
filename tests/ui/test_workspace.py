"""The workspace at every size, in both languages, from the keyboard alone."""

from pathlib import Path
from random import Random

import pytest
from driving import Driver, opened, solution, work_file
from editor_host import said
from fake_engine import FakeEngine
from textual import events
from textual.widgets import Input
from textual.widgets._toast import Toast

from tritontui.course.paths import Paths
from tritontui.course.progress import Progress
from tritontui.ui.app import Options
from tritontui.ui.screens.course_map import CourseMap
from tritontui.ui.screens.palette import Palette
from tritontui.ui.screens.sheet import Sheet
from tritontui.ui.start.beginning import Beginning
from tritontui.ui.start.environment import prepare
from tritontui.ui.start.first_frame import FirstFrame
from tritontui.ui.widgets.editor import EditorPane
from tritontui.ui.widgets.evidence import EvidenceStrip
from tritontui.ui.widgets.text_view import TextView

SIZES = [(200, 60), (120, 40), (110, 30), (100, 30), (99, 30), (80, 24), (60, 18)]


def visible(driver: Driver) -> list[str]:
    """Ids of the panes that can be seen."""
    return [
        name
        for name in ("lesson", "editor", "results", "evidence")
        for widget in [driver.workspace.query_one("#evidence" if name == "evidence" else f"#{name}-pane")]
        if widget.display and widget.size.area > 0
    ]


@pytest.mark.parametrize("size", SIZES)
async def test_every_pane_can_be_reached_at_every_size(home: Path, size: tuple[int, int]) -> None:
    async with opened(size) as driver:
        await driver.go("write-it")
        width = size[0]
        everything = {"lesson", "editor", "results"}
        seen: set[str] = set()
        for _ in range(3):
            await driver.press("ctrl+o")
            panes = visible(driver)
            seen |= set(panes)
            if width >= 120:
                assert set(panes) == everything
            elif width < 100:
                assert [pane for pane in panes if pane != "evidence"] == [driver.workspace.pane]
                assert ("evidence" in panes) == (driver.workspace.pane != "results")
            else:
                assert {"lesson", "editor"} <= set(panes)
                assert ("results" in panes) != ("evidence" in panes)
            assert driver.app.focused is driver.workspace.main_widget(driver.workspace.pane)
            await driver.press("f9")
            assert [pane for pane in visible(driver) if pane in everything] == [driver.workspace.pane]
            await driver.press("f9")
        assert everything <= seen


async def test_what_is_said_for_a_moment_never_covers_the_evidence(home: Path) -> None:
    async with opened((80, 24), engine=FakeEngine(), notifications=True) as driver:
        await driver.go("write-it")
        driver.workspace.notify("Say first what you expect. " * 4)
        for width, height in ((80, 24), (100, 30)):
            await driver.pilot.resize_terminal(width, height)
            await driver.pilot.pause()
            evidence = driver.workspace.query_one("#evidence").region
            toasts = [toast.region for toast in driver.workspace.query(Toast)]
            assert evidence.area and toasts
            assert all(toast.area and not toast.overlaps(evidence) for toast in toasts)


async def test_the_lesson_is_44_to_60_columns_wide(home: Path) -> None:
    async with opened((120, 40)) as driver:
        pane = driver.workspace.query_one("#lesson-pane")
        assert pane.outer_size.width == 44
        await driver.pilot.resize_terminal(150, 40)
        await driver.pilot.pause()
        assert 44 < pane.outer_size.width < 60
        await driver.pilot.resize_terminal(240, 60)
        await driver.pilot.pause()
        assert pane.outer_size.width == 60


@pytest.mark.parametrize("size", [(80, 24), (100, 30), (120, 40), (200, 60)])
@pytest.mark.parametrize("step", ["which-elements", "write-it"])
async def test_the_first_frame_stands_where_the_workspace_will(home: Path, size: tuple[int, int], step: str) -> None:
    Paths.find().create()
    progress = Progress(Paths.find().progress)
    progress.set_position("05-vector-addition", step)
    progress.close()
    work_file(home).write_text(solution())
    async with opened(size, lesson=None) as driver:
        frame = FirstFrame(Beginning.of(Options(), prepare({"TERM": "xterm-256color"})))
        rows = ["".join(text for text, _ in row) for row in frame.rows(*size)]
        workspace = driver.workspace
        assert len(rows) == size[1]
        assert all(len(row) <= size[0] for row in rows)
        shown = visible(driver)
        if "lesson" in shown:
            lesson = workspace.query_one("#lesson").region
            title = workspace.study.step.title["en"].replace("`", "")
            assert rows[lesson.y][lesson.x + 1 :].startswith(title)
            assert not any("**" in row or "```" in row for row in rows)
        if "editor" in shown:
            editor = workspace.editor.region
            assert rows[editor.y][editor.x :].startswith(" 1   import torch")
            code = [row[editor.x :].strip() for row in rows[editor.y : editor.bottom + 1]]
            assert code[min(len(workspace.editor.document.lines), editor.height) - 1], "as many lines as fit"
            assert not code[editor.height]
        assert rows[workspace.query_one("#keys").region.y].startswith(" ^R run")
        assert rows[0].startswith(driver.line("#title")[:20])


async def test_a_terminal_too_small_says_so_and_recovers(home: Path) -> None:
    async with opened((80, 24)) as driver:
        await driver.go("write-it")
        await driver.press("ctrl+o")
        await driver.pilot.resize_terminal(40, 10)
        await driver.pilot.pause()
        assert driver.workspace.get_widget_at(20, 5)[0].id == "too-small"
        assert "40×10" in driver.line("#too-small")
        await driver.type("x")
        await driver.pilot.resize_terminal(80, 24)
        await driver.pilot.pause()
        assert visible(driver) == ["editor", "evidence"]
        assert driver.workspace.editor.text.startswith("x")


async def test_resizing_and_switching_at_random_never_fails(home: Path) -> None:
    random = Random(7)
    keys = [
        "ctrl+o",
        "f9",
        "ctrl+n",
        "ctrl+t",
        "f6",
        "tab",
        "1",
        "2",
        "3",
        "4",
        "5",
        "down",
        "pageup",
        "plus",
        "x",
        "enter",
    ]
    async with opened((120, 40)) as driver:
        for _ in range(40):
            await driver.pilot.resize_terminal(random.randint(20, 220), random.randint(5, 70))
            await driver.press(*random.choices(keys, k=3))
        assert driver.app.is_running


async def test_both_languages_in_place(home: Path) -> None:
    async with opened() as driver:
        assert driver.app.study.step.title["en"] in driver.lesson.plain
        assert "step 1/" in driver.line("#title")
        await driver.press("f6")
        step = driver.app.study.step
        assert step.title["it"] in driver.lesson.plain
        total = len(driver.app.study.lesson.steps)
        assert driver.workspace.tr("step {number}/{total}", number=1, total=total) in driver.line("#title")
        assert driver.app.language == "it"
    async with opened(language="it") as driver:
        assert step.title["it"] in driver.lesson.plain


async def test_the_chosen_language_is_remembered(home: Path) -> None:
    from tritontui.ui.application import TritonApp

    async with opened(language="en") as driver:
        await driver.press("f6")
    app = TritonApp(Options(device="cpu"), prepare({"TERM": "xterm-256color"}))
    assert app.language == "it"
    app.study.close()


async def test_starting_over_asks_and_undo_brings_the_text_back(home: Path) -> None:
    async with opened() as driver:
        await driver.go("write-it")
        starter = driver.workspace.editor.text
        await driver.set_text("# mine\n")
        await driver.workspace.run_action("reset")
        await driver.pilot.pause()
        assert isinstance(driver.app.screen, Sheet)
        await driver.press("enter")
        assert driver.workspace.editor.text == "# mine\n", "the first answer keeps the text"
        await driver.workspace.run_action("reset")
        await driver.pilot.pause()
        await driver.press("down", "enter")
        assert driver.workspace.editor.text == starter
        await driver.press("ctrl+z")
        assert driver.workspace.editor.text == "# mine\n"
        await driver.saved()
        assert work_file(home).read_text() == "# mine\n"


async def test_hints_come_one_at_a_time(home: Path) -> None:
    async with opened() as driver:
        await driver.go("write-it")
        exercise = driver.app.study.exercise
        total = len(exercise.hints["en"])
        for number in range(1, total + 1):
            await driver.press("ctrl+g")
            assert f"Hint {number}/{total}" in driver.lesson.plain
            assert f"Hint {number + 1}/{total}" not in driver.lesson.plain
            assert f"hint {number}/{total}" in driver.line("#lesson-title")
        await driver.press("f2")
        assert f"hint {total}/{total}" in driver.line("#lesson-title")


async def test_the_solution_waits_for_a_pass(home: Path) -> None:
    async with opened() as driver:
        await driver.go("write-it")
        await driver.workspace.run_action("solution")
        await driver.pilot.pause()
        assert not isinstance(driver.app.screen, Sheet)
        driver.app.study.progress.record_attempt("vector_add", "pass", [], "cpu")
        await driver.workspace.run_action("solution")
        await driver.pilot.pause()
        assert isinstance(driver.app.screen, Sheet)
        shown = driver.app.screen.query_one(TextView).plain
        assert shown.strip() == solution().strip()


async def test_a_prediction_is_answered_from_the_keyboard(home: Path) -> None:
    async with opened() as driver:
        await driver.go("which-elements")
        assert driver.app.focused is driver.lesson
        asked = driver.lesson.quiz.current
        drawn = dict(asked.drawn.variables)
        await driver.type(str(drawn["n"]))
        assert f"= {drawn['n']}" in driver.lesson.plain
        await driver.press("enter")
        assert "one program an element" in driver.lesson.plain
        assert dict(driver.lesson.quiz.current.drawn.variables) != drawn
        drawn = dict(driver.lesson.quiz.current.drawn.variables)
        await driver.type(f"({drawn['n']}+{drawn['BLOCK']}-1)")
        await driver.press("backspace")
        await driver.type(")/1")
        for _ in range(2):
            await driver.press("backspace")
        await driver.press("enter")
        assert driver.lesson.quiz.current.question.id == "programs", "not yet right"
        drawn = dict(driver.lesson.quiz.current.drawn.variables)
        await driver.type(str(-(-drawn["n"] // drawn["BLOCK"])))
        await driver.press("enter")
        assert driver.lesson.quiz.current.question.id == "element"
        assert driver.app.study.progress.answered("05-vector-addition", "which-elements") <= {"programs"}


async def test_all_kinds_of_questions_complete_their_step(home: Path) -> None:
    async with opened() as driver:
        await driver.go("the-host-part")
        quiz = driver.lesson.quiz
        for place, item in enumerate(quiz.current.drawn.solution()):
            await put_at(driver, item, place)
        await press_on_check(driver)
        assert quiz.current.question.id == "who-decides"
        for item, partner in quiz.current.drawn.solution().items():
            await move_to(driver, item)
            while quiz.current.partners.get(item) != partner:
                await driver.press("right")
        await press_on_check(driver)
        assert quiz.done
        assert driver.app.study.is_done(driver.app.study.step)
        assert "✓" in driver.line("#lesson-title")


async def move_to(driver: Driver, option: str) -> None:
    """The cursor onto an option, by the down key."""
    await driver.press(*["up"] * len(driver.lesson.targets))
    while getattr(driver.lesson.target, "option", None) != option:
        await driver.press("down")


async def put_at(driver: Driver, item: str, place: int) -> None:
    order = driver.lesson.quiz.current.order
    await move_to(driver, item)
    await driver.press("enter")
    while order.index(item) > place:
        await driver.press("up")
    await driver.press("enter")


async def press_on_check(driver: Driver) -> None:
    await driver.press(*["down"] * len(driver.lesson.targets), "enter")


async def test_help_steps_and_palette_open_and_close(home: Path) -> None:
    async with opened((80, 24)) as driver:
        for key, kind, closing in (("f1", Sheet, "q"), ("f1", Sheet, "f1"), ("ctrl+l", CourseMap, "ctrl+l")):
            await driver.press(key)
            assert isinstance(driver.app.screen, kind)
            await driver.press(closing)
            assert driver.app.screen is driver.workspace
        await driver.press("ctrl+p")
        assert isinstance(driver.app.screen, Palette)
        await driver.press("ctrl+o")
        assert driver.app.screen is driver.workspace
        await driver.go("write-it")
        await driver.press("f8")
        await driver.type("more hint")
        await driver.press("enter")
        assert "Hint 1/" in driver.lesson.plain
        step = driver.app.study.desk.place.step
        await driver.press("ctrl+l", "up", "up", "enter")
        assert driver.app.study.desk.place.step == step - 2


async def test_letters_are_commands_outside_the_editor_and_text_inside(home: Path) -> None:
    async with opened() as driver:
        assert driver.workspace.pane == "lesson"
        await driver.press("n")
        assert driver.app.study.desk.place.step == 1
        await driver.press("p")
        assert driver.app.study.desk.place.step == 0
        await driver.go("write-it")
        await driver.type("n")
        assert driver.workspace.editor.text.startswith("n")
        assert driver.app.study.step.id == "write-it"


async def test_themes_follow_one_another_and_are_remembered(home: Path) -> None:
    async with opened() as driver:
        names = []
        for _ in range(3):
            await driver.workspace.run_action("app.next_theme")
            await driver.pilot.pause()
            names.append(driver.app.theme)
        assert len(set(names)) == 3


async def test_a_command_at_the_end_of_a_burst_overtakes_nothing_that_was_typed(home: Path) -> None:
    async with opened(engine=FakeEngine()) as driver:
        await driver.go("what-the-run-shows")
        driver.workspace.show_pane("editor")
        await driver.pilot.pause()
        before = driver.app.study.exercise
        for key in (*"word", "ctrl+n"):  # as a slow line delivers them
            driver.app.post_message(events.Key(key, key if len(key) == 1 else None))
        await driver.until(lambda: driver.app.study.step.id == "take-turns")
        await driver.saved()
        assert before is not None and before != driver.app.study.exercise
        assert "word" in work_file(home).read_text() and "word" not in driver.workspace.editor.text


@pytest.mark.parametrize("opening", ["ctrl+l", "ctrl+p"])
async def test_a_burst_that_closes_a_screen_twice_leaves_the_one_beneath(home: Path, opening: str) -> None:
    async with opened((80, 24), engine=FakeEngine()) as driver:
        await driver.press(opening)
        await driver.pilot.pause()
        assert driver.app.screen is not driver.workspace
        for _ in range(3):
            driver.app.post_message(events.Key("enter", None))
        await driver.press("escape")
        assert driver.workspace in driver.app.screen_stack


async def test_a_key_held_at_the_last_step_says_so_once(home: Path) -> None:
    async with opened((80, 24), lesson=1, notifications=True) as driver:
        driver.workspace.show_pane("lesson")
        for _ in range(30):
            driver.workspace.action_step(-1)
        await driver.pilot.pause()
        assert [note.message for note in driver.app._notifications] == ["This is the first step."]
        driver.workspace.notify("a[0] and [/bold] are no markup")
        await driver.pilot.pause()
        await driver.until(lambda: len(driver.app._notifications) == 2)


@pytest.mark.parametrize("opening", ["ctrl+p", "ctrl+l"])
async def test_no_cursor_blinks_where_something_is_typed(home: Path, opening: str) -> None:
    async with opened(engine=FakeEngine()) as driver:
        await driver.press(opening)
        field = driver.app.focused
        assert isinstance(field, Input) and not field.cursor_blink, "it would be written twice a second"


async def test_the_first_error_is_said_once_wherever_there_is_room_for_it(home: Path) -> None:
    """By the evidence strip, by the verdict where the results are in view, else by the line under the editor."""
    async with opened((80, 24)) as driver:
        await driver.go("write-it")
        await driver.set_text(solution("vector_add").replace(", mask=mask", ""))
        await driver.judged()
        pane, evidence = driver.workspace.query_one(EditorPane), driver.workspace.query_one(EvidenceStrip)
        first = evidence.rows[0].plain
        assert "outside" in first and said(pane) == ""
        await driver.press("ctrl+o", "f9")
        assert not evidence.display and said(pane) == first
        await driver.press("f9")
        assert evidence.display and said(pane) == ""
        await driver.pilot.resize_terminal(120, 40)
        await driver.pilot.pause()
        assert not evidence.display and said(pane) == "", "the verdict beside it says it"
        driver.workspace.results.pick("map")
        await driver.pilot.pause()
        assert said(pane) == first
        driver.workspace.results.pick("verdict")
        await driver.pilot.pause()
        assert said(pane) == ""
