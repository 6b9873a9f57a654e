"""The main job, end to end, with the real runner: read, write a wrong kernel, see why, mend it, pass, go on."""

from pathlib import Path

from driving import opened, solution, work_file

from tritontui.ui.map.signs import MASKED, OUT, SELECTED

UNMASKED = solution().replace(", mask=mask", "")
FIRST_LOAD = next(number for number, row in enumerate(UNMASKED.splitlines(), 1) if "tl.load" in row)


async def test_a_wrong_kernel_is_explained_mended_and_passed(home: Path) -> None:
    async with opened() as driver:
        await driver.go("write-it")
        assert driver.workspace.pane == "editor"
        await driver.set_text(UNMASKED)
        await driver.judged()
        view = driver.app.controller.view
        assert view.verdict == "fail"
        first = view.findings[0]
        assert (first.id, first.line, first.program) == ("out-of-bounds-read", FIRST_LOAD, 3)
        assert "24 lanes of program 3" in driver.shown("verdict")
        assert driver.workspace.study.step.id not in driver.workspace.study.done(driver.workspace.study.lesson)
        # the map, from the keyboard
        await driver.press("ctrl+o", "2")
        await driver.map.settled()
        await driver.pilot.pause()
        cells = "".join(driver.map.rows[2:-3])
        assert OUT in cells and SELECTED in cells and MASKED not in cells
        assert "= 1000" in driver.map.rows[-2]
        # Enter goes to the line
        await driver.press("enter")
        assert driver.app.focused is driver.workspace.editor
        assert driver.workspace.editor.cursor_location[0] == FIRST_LOAD - 1
        # mend it by typing
        for row, line in enumerate(UNMASKED.splitlines(), 1):
            if line != solution().splitlines()[row - 1]:
                driver.workspace.editor.goto(row, len(line))
                await driver.type(", mask=mask")
        assert driver.workspace.editor.text == solution()
        await driver.judged()
        assert driver.app.controller.view.verdict == "pass"
        cells = "".join(driver.map.rows[2:-3])
        assert OUT not in cells and MASKED in cells
        assert driver.workspace.study.is_done(driver.workspace.study.step)
        assert driver.workspace.study.step.id == "write-it", "passing doesn't move on by itself"
        driver.workspace.results.pick("verdict")
        await driver.pilot.pause()
        assert "Right on every case" in driver.shown("verdict")
        driver.workspace.results.pick("compiler")
        await driver.pilot.pause()
        assert "registers" in driver.shown("compiler")
        driver.workspace.results.pick("speed")
        await driver.pilot.pause()
        assert "needs a GPU" in driver.shown("speed")
        await driver.press("ctrl+n")
        assert driver.workspace.study.step.id == "what-the-run-shows"
        await driver.saved()
        assert work_file(home).read_text() == solution()


async def test_the_next_start_opens_where_the_learner_left(home: Path) -> None:
    async with opened(language="it") as driver:
        await driver.go("write-it")
        await driver.set_text("# mine\n")
        await driver.press("ctrl+q")
    async with opened() as driver:
        assert driver.workspace.study.step.id == "write-it"
        assert driver.workspace.editor.text == "# mine\n"


async def test_a_kernel_that_never_ends_leaves_the_application_usable(home: Path) -> None:
    async with opened() as driver:
        await driver.go("write-it")
        await driver.set_text(solution().replace("    out = torch", "    while True:\n        pass\n    out = torch"))
        await driver.judged()
        view = driver.app.controller.view
        assert view.verdict == "fail"
        assert view.findings[0].line in (17, 18)
        await driver.set_text(solution())
        await driver.judged()
        assert driver.app.controller.view.verdict == "pass"


async def test_prints_are_shown_as_text(home: Path) -> None:
    async with opened() as driver:
        await driver.go("write-it")
        await driver.set_text(
            solution().replace("    out = torch", '    print("[bold]\\x1b[31mhello")\n    out = torch')
        )
        await driver.judged()
        driver.workspace.results.pick("output")
        await driver.pilot.pause()
        assert "[bold]\\x1b[31mhello" in driver.shown("output")


async def test_another_editor_may_change_the_file(home: Path) -> None:
    async with opened() as driver:
        await driver.go("write-it")
        await driver.set_text("# from here\n")
        await driver.saved()
        work_file(home).write_text("# from vim\n")
        await driver.until(lambda: driver.workspace.editor.text == "# from vim\n")
        await driver.press("ctrl+z")
        assert driver.workspace.editor.text == "# from here\n"


async def test_the_engine_may_be_killed_under_it(home: Path) -> None:
    async with opened() as driver:
        await driver.go("write-it")
        await driver.set_text(solution().replace("    out = torch", "    import os; os._exit(3)\n    out = torch"))
        await driver.judged()
        assert driver.app.controller.view.verdict == "fail"
        await driver.until(lambda: driver.app.engine.status.cpu == "ready")
        await driver.set_text(solution())
        await driver.judged()
        assert driver.app.controller.view.verdict == "pass"
