"""The playground: a script of one's own beside the lesson, from the keyboard, with the real runner."""

from __future__ import annotations

from pathlib import Path

from driving import Driver, opened
from textual.widgets import TextArea

from tritontui.course.playground import PLAYGROUND
from tritontui.ui.screens.playground import Playground


def playground(driver: Driver) -> Playground:
    screen = driver.app.screen
    assert isinstance(screen, Playground)
    return screen


def run_of(driver: Driver) -> int | None:
    """The run that the lesson shows."""
    report = driver.app.controller.view.report
    return report.run if report is not None else None


async def ran(driver: Driver, screen: Playground) -> None:
    """Until the text as it stands has been run."""
    told, changed = screen.panes_changed, driver._changed

    def tell() -> None:
        told()
        changed.set()

    screen.panes_changed = tell  # type: ignore[method-assign]
    tracer = screen.tracer
    await driver.until(
        lambda: (
            screen._syntax is not None or not (tracer.running or tracer.stale or screen._due or tracer.trace is None)
        )
    )
    await screen.map.settled()
    await driver.pilot.pause()


async def test_a_kernel_of_ones_own(home: Path) -> None:
    async with opened(language="it") as driver:
        await driver.go("write-it")
        await driver.judged()
        judged_before = run_of(driver)
        lesson_text = driver.workspace.editor.text
        await driver.press("f12")
        screen = playground(driver)
        editor = screen.editor
        await ran(driver, screen)
        assert editor.has_focus and "Un kernel tuo" in editor.text
        assert "1 lancio · uscita 0" in str(screen.query_one("#title").render())
        assert "Nessun riscontro" in screen.findings.plain

        # an edit runs by itself; the map and the marks show what it did, the cursor stays where it is
        start = editor.text.index("mask=mask")
        row = editor.text.count("\n", 0, start)
        editor.move_cursor((row, 0))
        editor.replace_text(editor.text.replace(", mask=mask)\n", ")\n", 1))
        editor.move_cursor((row, 0))
        await ran(driver, screen)
        assert "leggono fuori da x_ptr" in screen.findings.plain and editor.mark_at(row) is not None
        assert editor.cursor_location == (row, 0)
        await driver.press("ctrl+o")
        await driver.press("2")
        await screen.map.settled()
        assert any("x_ptr" in line and "fuori" in line for line in screen.map.rows)

        # what Python can't read is said at once, and what another editor writes is taken in
        editor.replace_text(editor.text + "def (\n")
        await driver.press("1")
        assert "Python" in screen.findings.plain
        await driver.until(lambda: not driver.app.study.saver.pending)
        driver.app.study.work.path(PLAYGROUND).write_text("print('scritto altrove')\n", encoding="utf-8")
        await driver.until(lambda: editor.text == "print('scritto altrove')\n")
        await ran(driver, screen)
        assert "Lo script non ha lanciato nessun kernel" in screen.findings.plain

        # back in the lesson everything is as it was, and the kernel is judged again
        await driver.press("ctrl+l")
        assert driver.app.screen is driver.workspace and driver.workspace.editor.text == lesson_text
        await driver.until(lambda: run_of(driver) not in (None, judged_before))
        await driver.judged()

        # the playground is found again in the course map and keeps its text; the starter can be put back, and undone
        await driver.press("ctrl+l")
        await driver.press("f12")
        screen = playground(driver)
        await ran(driver, screen)
        assert screen.editor.text == "print('scritto altrove')\n"
        await driver.press("ctrl+p")
        await driver.type("testo di partenza")
        await driver.press("enter")
        assert "Un kernel tuo" in screen.editor.text and isinstance(screen.editor, TextArea)
        await driver.press("ctrl+z")
        assert screen.editor.text == "print('scritto altrove')\n"
