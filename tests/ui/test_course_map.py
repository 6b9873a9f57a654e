"""The course map: signs, outcomes, time and figures; filter and search; a jump from any of them."""

from dataclasses import replace
from pathlib import Path

import pytest
from driving import Driver, opened
from textual.widgets import Input

from tritontui.course.loader import load_course
from tritontui.course.paths import Paths
from tritontui.course.progress import Progress
from tritontui.i18n import translator
from tritontui.ui.learner.active_time import PAUSE_S, ActiveTime
from tritontui.ui.learner.desk import Place
from tritontui.ui.lesson.course_rows import DONE, OPEN, RECORDED, Overview, duration
from tritontui.ui.lesson.searching import Hit
from tritontui.ui.screens.course_map import CourseMap

LESSON = "05-vector-addition"


def studied(home: Path) -> None:
    """A learner who has done, measured and spent something."""
    progress = Progress(Paths.find({"TRITONTUI_HOME": str(home)}).progress)
    steps = load_course().lesson(5).steps
    open_one = next(step for step in reversed(steps) if step.outcomes)
    for step in steps:
        if step != open_one:
            progress.mark_done(LESSON, step.id)
    progress.add_time(LESSON, "write-it", 3_900.0)
    progress.record_attempt("vector_add", "fail", [], "cpu")
    progress.record_attempt("vector_add", "pass", [], "cuda:0")
    for device, gbps in (("A100", 1200.0), ("H200", 4317.0), ("H200", 4100.0)):
        progress.record_measurement("vector_add", "n = 2^27", device, 1.6e6 / gbps, gbps)
    progress.set_setting("live", "off")  # the text that is opened isn't judged, and so isn't counted
    progress.close()


async def opened_map(driver: Driver) -> CourseMap:
    await driver.press("ctrl+l")
    screen = driver.app.screen
    assert isinstance(screen, CourseMap)
    await driver.app.workers.wait_for_complete([worker for worker in driver.app.workers if worker.node is screen])
    await driver.pilot.pause()
    return screen


def text_of(screen: CourseMap, selector: str) -> str:
    return screen.query_one(selector).plain


async def search(driver: Driver, screen: CourseMap, words: str) -> None:
    screen.query_one(Input).value = words
    await driver.pilot.pause()


@pytest.mark.parametrize("size", [(80, 24), (200, 60)])
async def test_what_was_done_reached_spent_and_measured(home: Path, size: tuple[int, int]) -> None:
    studied(home)
    async with opened(size) as driver:
        await driver.go("write-it")
        screen = await opened_map(driver)
        shown = text_of(screen, "#map-list")
        lesson = driver.app.study.lesson
        assert f"{lesson.number} {lesson.title['en']}  {len(lesson.steps) - 1}/{len(lesson.steps)}" in shown
        assert "1 h 5 min" in shown and "4,317 GB/s" in shown
        assert f"✓ {'code':<9} Vector addition, from an empty file" in shown
        detail = text_of(screen, "#map-detail")
        assert "code · done · 1 h 5 min · judged 2 times" in detail
        assert detail.index("H200") < detail.index("A100")
        assert "370.6 µs" in detail and "1,200 GB/s" in detail
        assert "still to do: " in detail and "✓" in detail and "○" in detail
        await driver.press("f6")  # no command of the workspace works here
        assert driver.app.language == "en"
        await driver.press("escape")
        assert driver.app.screen is driver.workspace


async def test_all_thirty_outcomes_are_on_the_map_and_reached_by_activities_alone(home: Path) -> None:
    course = load_course()
    progress = Progress(Paths.find({"TRITONTUI_HOME": str(home)}).progress)
    for lesson in course.lessons:
        for step in lesson.steps:
            if step.outcomes and step.kind != "read":
                progress.mark_done(lesson.id, step.id)
    progress.close()
    async with opened(language="it") as driver:
        screen = await opened_map(driver)
        assert "30/30 obiettivi" in screen.query_one("#map-title").render_line(0).text
        shown = text_of(screen, "#map-list")
        assert all(f"{n} {lesson.title['it']}" in shown for n, lesson in enumerate(course.lessons, 1)), "each of ten"
        assert shown.count("obiettivi 3/3") == 10
        await driver.press(*["pagedown"] * 10)
        detail = text_of(screen, "#map-detail")
        assert all(f"✓ {outcome.text['it']}" in detail for outcome in course.lessons[-1].outcomes)


async def test_arrows_and_enter_jump_anywhere(home: Path) -> None:
    async with opened() as driver:
        screen = await opened_map(driver)
        start = driver.app.study.desk.place
        await driver.press("down", "down")
        assert driver.app.study.desk.course.lessons[start.lesson].steps[2].title["en"] in text_of(screen, "#map-detail")
        await driver.press("enter")
        assert driver.app.study.desk.place == Place(start.lesson, 2)
        await opened_map(driver)
        await driver.press("pageup", "pageup", "enter")
        assert driver.app.study.desk.place == Place(start.lesson - 1, 0)
        screen = await opened_map(driver)
        await driver.press("pagedown")
        top = screen.rows.scroll_offset.y
        shown = [strip.text for strip in map(screen.rows.render_line, range(4))]
        assert top > 0 and any("5 Vector addition" in row for row in shown), "the lesson's title is at the top"
        await driver.press("enter")
        assert driver.app.study.desk.place == start


async def test_typing_filters_by_title_outcome_and_number(home: Path) -> None:
    async with opened(language="it") as driver:
        screen = await opened_map(driver)
        await driver.type("somma, da un file vuoto")
        assert [place for place in targets(screen) if isinstance(place, Place)] == [step_place(driver, "write-it")]
        await search(driver, screen, "xyzzy")
        assert not targets(screen)
        assert "Nessun passo" in text_of(screen, "#map-list")
        await search(driver, screen, "from an EMPTY file")
        assert targets(screen)[0] == step_place(driver, "write-it"), "titles of the other language are found too"
        await driver.press("enter")
        assert driver.app.study.step.id == "write-it"


async def test_the_lessons_are_searched_in_both_languages_and_a_hit_leads_to_its_place(home: Path) -> None:
    async with opened((80, 24), language="it") as driver:
        driver.workspace.show_pane("editor")
        screen = await opened_map(driver)
        for words in ("gia", "GIÀ"):
            await search(driver, screen, words)
            hits = [target for target in targets(screen) if isinstance(target, Hit)]
            assert all("gia" in hit.passage.folded for hit in hits)
            assert any("già" in hit.passage.text for hit in hits)
        await search(driver, screen, "between")
        hits = [target for target in targets(screen) if isinstance(target, Hit)]
        assert hits[0].passage.language == "en"
        await search(driver, screen, "già")
        hit = next(target for target in targets(screen) if isinstance(target, Hit))
        while screen.rows.target != hit:
            await driver.press("down")
        await driver.press("enter")
        assert driver.app.study.desk.place == hit.passage.place
        assert driver.workspace.pane == "lesson"
        shown = driver.lesson.blocks[2 + hit.passage.block]
        assert shown.text.plain == hit.passage.text and shown.fill
        rows = [number for number, row in enumerate(driver.lesson._rows) if row.block == 2 + hit.passage.block]
        top, height = driver.lesson.scroll_offset.y, driver.lesson.size.height
        assert top <= rows[0] < top + height


async def test_the_palette_leads_to_a_search(home: Path) -> None:
    async with opened() as driver:
        await driver.press("ctrl+p")
        await driver.type("masks")
        await driver.press(*["down"] * 30, "enter")
        assert isinstance(driver.app.screen, CourseMap)
        assert driver.app.screen.query_one(Input).value == "masks"
        await driver.press("ctrl+o")
        driver.workspace.show_pane("results")
        await driver.press("slash")
        assert isinstance(driver.app.screen, CourseMap)


async def test_answers_are_not_found(home: Path) -> None:
    """A search must not tell what a question asks for."""
    async with opened() as driver:
        texts = driver.workspace.lesson_texts()
        for lesson in driver.app.study.desk.course.lessons:
            for step in lesson.steps:
                for question in step.questions:
                    explanation = question.explanation.get("en", "").strip()
                    if len(explanation) > 60:
                        assert not texts.find(explanation, "en")


# ------------------------------------------------------------ time


def test_time_counts_while_keys_come_and_two_minutes_after() -> None:
    now = [0.0]
    active = ActiveTime(lambda: now[0])
    total = 0.0
    for at in (100.0, 130.0, 150.0, 150.0 + 3 * PAUSE_S):
        now[0] = at
        total += active.take(key=True)
    assert total == 50.0 + PAUSE_S, "nothing before the first key, and two minutes of a long absence"
    now[0] += 30.0
    assert active.take(key=False) == 30.0
    now[0] += 10.0
    assert active.take(key=False) == 10.0
    now[0] += 10 * PAUSE_S
    assert active.take(key=False) <= PAUSE_S
    now[0] += 60.0
    assert active.take(key=False) == 0.0


async def test_time_is_kept_by_step(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    async with opened() as driver:
        monkeypatch.setattr(driver.app.study.time_spent, "_active", ActiveTime(lambda: now[0]))
        first = driver.app.study.step.id
        await driver.press("down")
        now[0] = 50.0
        await driver.press("down")
        now[0] = 60.0
        await driver.press("ctrl+n")
        now[0] = 75.0
        second = driver.app.study.step.id
    progress = Progress(Paths.find({"TRITONTUI_HOME": str(home)}).progress)
    assert progress.time_spent(LESSON) == {first: 60.0, second: 15.0}
    progress.close()


def test_how_long_in_words() -> None:
    tr = translator("en")
    assert [duration(seconds, tr) for seconds in (30, 90, 3_600, 7_800)] == ["", "1 min", "1 h 0 min", "2 h 10 min"]


def targets(screen: CourseMap) -> list[object]:
    return [block.target for block in screen.rows.blocks if block.target is not None]


def step_place(driver: Driver, identifier: str) -> Place:
    desk = driver.app.study.desk
    return Place(desk.place.lesson, [step.id for step in desk.lesson.steps].index(identifier))


def test_a_step_done_by_recorded_figures_has_a_hollow_sign() -> None:
    course = load_course()
    lesson = course.lesson(5)
    overview = Overview(course, {lesson.id: frozenset({"a"})}, {}, {}, {}, frozenset())
    place = Place(course.lessons.index(lesson), 0)
    done = replace(overview, done={lesson.id: frozenset({lesson.steps[0].id})})
    assert overview.sign(place) == OPEN
    assert done.sign(place) == DONE
    assert replace(done, only_recorded=frozenset({place})).sign(place) == RECORDED
    assert len({sign for sign, _ in (OPEN, DONE, RECORDED)}) == 3, "told apart without colour"
