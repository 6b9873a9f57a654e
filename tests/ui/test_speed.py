"""The Speed tab: every section, with figures and without; sweeps live, cut short, refused, never taken for current."""

from __future__ import annotations

from pathlib import Path

import pytest
from captured import CaptureDriver
from driving import Driver, opened
from fake_engine import (
    WRONG,
    FakeEngine,
    launch_plan,
    launch_points,
    measurement,
    size_replies,
)

from tritontui.diagnosis.finding import Finding
from tritontui.engine.messages import Done, Found, StageSkipped, SweepPoint
from tritontui.i18n import Language
from tritontui.ui.speed.sections import SECTIONS

RUN = 99
LAUNCH_BOUND = Finding(id="launch-bound", severity="note", params={"device_us": 5.8, "host_us": 14.4, "empty_us": 3.9})
DIED = Finding(id="runner-lost", severity="error", params={"reason": "died", "exit_code": -9, "seconds": 0})


async def at_speed(driver: Driver, section: str = "gauge") -> None:
    """A right kernel on the desk, its Speed tab in front at ``section``."""
    await driver.go("write-it")
    await driver.until(lambda: driver.app.controller.view.verdict == "pass")
    driver.workspace.results.pick("speed")
    driver.workspace.show_pane("results")
    driver.workspace.speed.turn_to(section)
    await driver.pilot.pause()


async def says(driver: Driver, *words: str) -> None:
    """Until the tab says all of ``words``."""
    await driver.until(lambda: all(word in driver.shown("speed") for word in words), 10)


async def measured(driver: Driver) -> None:
    await driver.press("ctrl+r")
    await driver.until(lambda: driver.app.controller.view.report.measurement is not None)
    await driver.until(lambda: not driver.app.controller.view.running)


async def edit(driver: Driver, before: str) -> None:
    await driver.set_text(before + driver.workspace.editor.text)


# ---------------------------------------------------------------- what was measured


async def test_the_gauge_says_how_much_of_what_and_what_may_mislead(home: Path) -> None:
    engine = FakeEngine()
    engine.measurement = measurement(remarks=[LAUNCH_BOUND])
    async with opened(engine=engine) as driver:
        await at_speed(driver)
        assert "Not measured yet." in driver.shown("speed") and "0.083 FLOP/byte" in driver.shown("speed")
        assert "4.1 kB moved, where 4.0 kB have to" in driver.shown("speed")
        await measured(driver)
        shown = driver.shown("speed")
        assert "4,304 GB/s   n = 2²⁷ · NVIDIA H200" in shown
        assert "99%" in shown and "of this card's ceiling for such traffic: 4,328 GB/s" in shown
        assert "89%" in shown and "of the datasheet's peak: 4,814 GB/s" in shown
        assert "yours" in shown and "374.2 µs" in shown and "torch" in shown and "373.9 µs" in shown
        assert "14.4 µs" in shown
        await driver.press("pagedown")
        assert "3.9 µs" in driver.shown("speed"), "why the figure may mislead"
        # an earlier text's figures are said to be such
        driver.app.controller.live = False
        await edit(driver, "\n")
        await driver.press("pageup")
        await says(driver, "4,304 GB/s", "This is about an earlier text.")


async def test_where_arithmetic_rules_it_is_the_headline(home: Path) -> None:
    engine = FakeEngine()
    engine.measurement = measurement(tflops=690.0, ideal_flops=2 * 8192**3, ideal_bytes=3 << 27, gbps=252.0)
    async with opened(engine=engine) as driver:
        await at_speed(driver)
        await measured(driver)
        assert driver.shown("speed").splitlines()[1].startswith("690.0 TFLOP/s")
        assert "of tensor cores at most: 1,070 TFLOP/s" in driver.shown("speed")
        driver.workspace.speed.turn_to("roofline")
        assert "arithmetic is the roof here, beyond the ridge at 15.5" in driver.shown("speed")


async def test_a_wrong_kernel_is_not_measured_and_the_reason_said(home: Path) -> None:
    engine = FakeEngine()
    async with opened(engine=engine) as driver:
        await at_speed(driver)
        await edit(driver, f"{WRONG}\n")
        await driver.until(lambda: driver.app.controller.view.verdict == "fail")
        await says(driver, "Only a right kernel is worth measuring", "line 7")
        for section in ("sizes", "blocks"):
            driver.workspace.speed.turn_to(section)
            await driver.press("s")
            await says(driver, "Only a right kernel is worth measuring", "line 7")
        assert engine.sweeps == []
        # mended, nothing of the refusal is left
        await driver.set_text(driver.workspace.editor.text.replace(WRONG, "# right"))
        await driver.until(lambda: driver.app.controller.view.verdict == "pass")
        assert "Only a right kernel" not in driver.shown("speed")


async def test_history_keeps_every_measured_attempt_card_by_card(home: Path) -> None:
    engine = FakeEngine()
    async with opened(engine=engine) as driver:
        driver.app.study.progress.record_measurement("vector_add", "n = 2²⁶", "RTX 4090", 880.0, 914.0)
        await at_speed(driver, "history")
        assert "RTX 4090" in driver.shown("speed")
        await measured(driver)
        engine.measurement = measurement(gbps=2527.0, median_us=637.0)
        await driver.press("ctrl+r")
        await says(driver, "H200   2 measured attempts", "2,527 GB/s")
        rows = driver.shown("speed").splitlines()
        assert [row[:1] for row in rows if "n = 2²⁷" in row] == [" ", "★"], "newest first, the best marked"
        await driver.press("down")
        assert "RTX 4090   1 measured attempt" in driver.shown("speed") and "914 GB/s" in driver.shown("speed")
        kept = driver.app.study.progress.measurements("vector_add")
    assert [record.device for record in kept] == ["RTX 4090", "H200", "H200"]


async def test_the_roofline_has_its_roofs_and_the_kernel_s_place(home: Path) -> None:
    async with opened(engine=FakeEngine()) as driver:
        await at_speed(driver, "roofline")
        assert "Not measured yet." in driver.shown("speed") and "0.083 FLOP/byte" in driver.shown("speed")
        await measured(driver)
        shown = driver.shown("speed")
        assert all(roof in shown for roof in ("memory 4,328 GB/s", "fp32 66.9 TFLOP/s", "tensor cores 1,070 TFLOP/s"))
        assert "memory is the roof here, and 99% of it is reached" in shown


async def test_autotuning_shows_each_config_and_why_one_cannot_run(home: Path) -> None:
    engine = FakeEngine()
    engine.tuned = True
    async with opened(engine=engine) as driver:
        await at_speed(driver, "autotune")
        assert "isn't autotuned" in driver.shown("speed")
        await measured(driver)
        rows = driver.shown("speed").splitlines()
        assert "key: n = 134217728" in rows[1]
        chosen, slower, large, pruned = (row for row in rows if row[3:10].strip().isdigit())
        assert "★" in chosen and "374.2 µs" in chosen and "★" not in slower
        assert "✗ 192 KiB of shared memory" in large and "pruned by your own rule" in pruned
        assert "196,608 bytes" not in driver.shown("speed")
        await driver.press("down", "down")
        assert "196,608 bytes" in driver.shown("speed")


# ---------------------------------------------------------------- sweeps


async def test_a_sweep_of_sixteen_points_is_followed_live(home: Path) -> None:
    engine = FakeEngine()
    async with opened((80, 24), engine=engine) as driver:
        await at_speed(driver, "blocks")
        assert "s tries every block size and number of warps" in driver.shown("speed")
        await driver.press("s")
        await says(driver, "It begins.", "x stops it")
        engine.say(launch_plan(RUN, "cpu"), *launch_points(RUN, "cpu"))
        await says(driver, "16 of 31")
        engine.say(Found(RUN, "sweep", [Finding(id="gpu-waiting", severity="note")]))
        await says(driver, "Another measurement has the GPU")
        timed = list(launch_points(RUN, "cuda:0"))
        engine.say(*timed[:3])
        await says(driver, "19 of 31", "640", "GB/s")
        engine.say(*timed[3:], Done(RUN))
        await driver.until(lambda: driver.app.sweeps.running is None)
        await says(driver, "[ 4,331 ★]" if driver.workspace.speed._cursors else "4,331 ★]")
        shown = driver.shown("speed")
        assert "smem ✗" in shown and "BLOCK = 256, num_warps = 4  " in shown and "4,331 GB/s" in shown
        # the invalid one says why
        await driver.press("down", "down", "comma", "comma")
        assert "▸ BLOCK = 16384, num_warps = 1: ✗" in driver.shown("speed")
        assert "300,000 bytes" in driver.shown("speed")
        assert "★ BLOCK = 256, num_warps = 4" in driver.shown("speed")


async def test_bandwidth_and_both_clocks_over_size(home: Path) -> None:
    engine = FakeEngine()
    async with opened(engine=engine) as driver:
        await at_speed(driver, "sizes")
        await driver.press("s")
        engine.say(*size_replies(RUN), Done(RUN))
        await says(driver, "★ 4,223 GB/s  n = 67,108,864")
        shown = driver.shown("speed")
        assert "● yours   ○ torch" in shown and "GB/s" in shown.splitlines()[1]
        await driver.press("t")
        assert "µs" in driver.shown("speed").splitlines()[1] and "a call's host time" in driver.shown("speed")
        await driver.pilot.resize_terminal(200, 60)
        await driver.pilot.pause()
        assert driver.shown("speed").count("● yours") == 2, "side by side where there is room"


async def test_x_stops_and_s_tries_again(home: Path) -> None:
    engine = FakeEngine()
    async with opened(engine=engine) as driver:
        await at_speed(driver, "blocks")
        await driver.press("s")
        engine.say(launch_plan(RUN, "cpu"), *list(launch_points(RUN, "cpu"))[:4])
        await says(driver, "4 of 32")
        assert "ROWS stays 8,192: your host code works it out" in driver.shown("speed")
        await driver.press("x")
        await says(driver, "Stopped after 4 of 32. s tries again.")
        assert engine.cancelled == 1
        await driver.press("s")
        await says(driver, "It begins.")
        assert engine.sweeps == ["launch", "launch"]


async def test_an_edit_in_the_middle_ends_it_and_marks_what_is_left_as_another_text_s(home: Path) -> None:
    engine = FakeEngine()
    async with opened(engine=engine) as driver:
        await at_speed(driver, "blocks")
        await driver.press("s")
        engine.say(launch_plan(RUN, "cpu"), *list(launch_points(RUN, "cpu"))[:4])
        await says(driver, "4 of 32")
        text = driver.workspace.editor.text
        await edit(driver, "\n")
        await says(driver, "This is about an earlier text.")
        assert engine.cancelled == 1 and driver.app.sweeps.running is None
        await driver.until(lambda: driver.app.controller.view.verdict == "pass")
        assert "This is about an earlier text." in driver.shown("speed"), "judged anew, but not swept anew"
        await driver.set_text(text)
        await says(driver, "Stopped after 4 of 32")


async def test_asked_for_while_typing_it_begins_with_the_verdict(home: Path) -> None:
    engine = FakeEngine()
    async with opened(engine=engine) as driver:
        await at_speed(driver, "blocks")
        await edit(driver, "\n")
        await driver.press("s")
        await says(driver, "It begins")
        await driver.until(lambda: engine.sweeps == ["launch"])
        # and no measurement of its own cuts it off, as one would after two seconds of rest
        assert driver.app.controller._timer is None


async def test_a_child_that_dies_at_a_point_is_that_point_s_reason(home: Path) -> None:
    engine = FakeEngine()
    async with opened(engine=engine) as driver:
        await at_speed(driver, "blocks")
        await driver.press("s")
        points = list(launch_points(RUN, "cpu"))
        points[6] = SweepPoint(run=RUN, device="cpu", index=6, values=points[6].values, problem=DIED)
        engine.say(launch_plan(RUN, "cpu"), *points, Done(RUN))
        await driver.until(lambda: driver.app.sweeps.trial("launch").result.finished)
        await says(driver, "▸ BLOCK = 256, num_warps = 4: ✗")


async def test_a_defect_of_ours_is_said_and_the_next_sweep_has_its_chance(home: Path) -> None:
    engine = FakeEngine()
    async with opened(engine=engine) as driver:
        await at_speed(driver, "blocks")
        await driver.press("s")
        engine.say(launch_plan(RUN, "cpu"), RuntimeError("the pipe is gone"))
        await says(driver, "This is a defect in tritontui", "the pipe is gone")
        await driver.press("s")
        await says(driver, "It begins.")


async def test_the_palette_leads_to_the_sweeps(home: Path) -> None:
    engine = FakeEngine()
    async with opened(engine=engine) as driver:
        await at_speed(driver)
        driver.workspace.results.pick("verdict")
        await driver.press("ctrl+p")
        await driver.type("at every size")
        await driver.press("enter")
        await driver.until(lambda: engine.sweeps == ["size"])
        assert driver.workspace.results.active == "speed" and "[Sizes]" in driver.shown("speed")


# ---------------------------------------------------------------- without a GPU, in every language, at every size


async def test_without_a_gpu_every_section_says_so_and_what_is_known_anyway(home: Path) -> None:
    engine = FakeEngine(gpu=False)
    async with opened(engine=engine) as driver:
        await at_speed(driver)
        for section in ("gauge", "history", "sizes", "blocks", "roofline"):
            driver.workspace.speed.turn_to(section)
            assert "Not measured: it needs a GPU." in driver.shown("speed"), section
        driver.workspace.speed.turn_to("blocks")
        await driver.press("s")
        engine.say(StageSkipped(RUN, "sweep", "no-gpu"), launch_plan(RUN, "cpu"), *launch_points(RUN, "cpu"), Done(RUN))
        await driver.until(lambda: driver.app.sweeps.running is None)
        shown = driver.shown("speed")
        assert "Not measured: it needs a GPU." in shown and "theoretical occupancy, %" in shown
        assert "50 " in shown and "100 " in shown and "smem ✗" in shown
        assert "★" not in "".join(row for row in shown.splitlines() if "best" not in row), (
            "the best of what isn't speed"
        )


SIZES = [(60, 18), (80, 24), (100, 30), (200, 60)]


@pytest.mark.parametrize("language", ["en", "it"])
async def test_every_section_fits_everywhere(home: Path, language: Language) -> None:
    engine = FakeEngine()
    engine.tuned = True
    async with opened(
        (200, 60), language, engine=engine, environ={"TERM": "xterm-256color", "NO_COLOR": "1"}
    ) as driver:
        await at_speed(driver, "blocks")
        await measured(driver)
        await driver.press("s")
        replies = [*launch_points(RUN, "cpu"), *launch_points(RUN, "cuda:0")]
        engine.say(launch_plan(RUN, "cpu"), *replies, Done(RUN))
        await driver.until(lambda: driver.app.sweeps.trial("launch").result.finished)
        driver.workspace.speed.turn_to("sizes")
        await driver.press("s")
        engine.say(*size_replies(RUN), Done(RUN))
        await driver.until(lambda: driver.app.sweeps.trial("size").result.finished)
        separated = {"en": "4,331", "it": "4.331"}[language]
        for size in SIZES:
            await driver.pilot.resize_terminal(*size)
            for section in SECTIONS:
                driver.workspace.speed.turn_to(section.id)
                await driver.pilot.pause()
                view, rows = driver.workspace.speed, driver.shown("speed").splitlines()
                assert len(rows) <= view.size.height and max(map(len, rows)) <= view.size.width, (size, section.id)
                assert f"[{driver.workspace.tr(section.name)}]" in rows[0]
                assert section.id != "blocks" or separated in "".join(rows)
                if section.id in ("sizes", "roofline"):
                    assert "●" in "".join(rows), (size, section.id)


async def test_points_by_the_dozen_are_few_repaints_and_a_turn_of_the_section_is_small(home: Path) -> None:
    engine = FakeEngine()
    async with opened(engine=engine, captured=True) as driver:
        await at_speed(driver, "blocks")
        terminal = driver.app._driver
        assert isinstance(terminal, CaptureDriver)
        drawn = 0
        told = driver.workspace.speed.redraw

        def count() -> None:
            nonlocal drawn
            drawn += 1
            told()

        await driver.press("s")
        driver.workspace.speed.redraw = count
        engine.say(launch_plan(RUN, "cpu"), *launch_points(RUN, "cpu"), *launch_points(RUN, "cuda:0"))
        await says(driver, "31 of 31")
        assert drawn <= 2, "all of them within a quarter of a second"
        engine.say(Done(RUN))
        await driver.until(lambda: driver.app.sweeps.running is None)
        for key in ("left", "right", "right", "left"):
            terminal.take()
            await driver.press(key)
            assert 0 < len(terminal.take().encode()) < 5000
