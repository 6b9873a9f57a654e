"""The Steps tab on the learner's own kernel, from the keyboard, with the real runner."""

from __future__ import annotations

from pathlib import Path

from driving import Driver, opened, solution

from tritontui.ui.map.signs import MASKED
from tritontui.ui.widgets.steps import StepsView

HEAD, _, HOST = solution().partition("@triton.jit")
KERNEL = """@triton.jit
def plus(a, b):
    total = a + b
    return total


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    y = tl.load(y_ptr + offs, mask=mask)
    for k in range(2):
        y = y * 1.0
    if pid == 3:
        total = plus(x, y)
    else:
        total = x + y
    ratio = total / (x - x)
    tl.store(out_ptr + offs, total, mask=mask)


"""
SINGLE = "(total - total) / (n - 1) + total, mask="
"""Stored so, all is right but where n is 1."""
TEXT = HEAD + KERNEL + HOST[HOST.index("def add(") :]


def line_of(code: str) -> int:
    return next(number for number, row in enumerate(TEXT.splitlines(), 1) if row.strip() == code)


def view(driver: Driver) -> StepsView:
    return driver.workspace.query_one(StepsView)


async def press(driver: Driver, *keys: str) -> None:
    """One key after another, each answered."""
    for key in keys:
        await driver.press(key)
        await view(driver).settled()
        await driver.pilot.pause()


def here(driver: Driver) -> str:
    """The line of code where the program stands."""
    return view(driver).plain.splitlines()[1].split(maxsplit=1)[1]


async def to(driver: Driver, code: str) -> None:
    """Step on to the line that says ``code``."""
    for _ in range(40):
        if here(driver) == code:
            return
        await press(driver, "right")
    raise AssertionError(f"{code} never came: {view(driver).plain}")


async def test_one_program_is_stepped_through_forwards_and_back(home: Path) -> None:
    async with opened() as driver:
        await driver.go("write-it")
        await driver.set_text(TEXT)
        await driver.judged()
        await driver.press("ctrl+o")
        await press(driver, "3")
        editor = driver.workspace.editor
        assert driver.app.focused is view(driver)
        assert "step 1 of" in view(driver).plain and "the kernel begins" in view(driver).plain
        assert "program 0 of 4" in view(driver).plain
        assert "x_ptr+0  host: shape (1000,), stride (1,)" in view(driver).plain
        await to(driver, "x = tl.load(x_ptr + offs, mask=mask)")
        assert editor.pointed_line == line_of("x = tl.load(x_ptr + offs, mask=mask)")
        assert "load x_ptr: 256 lanes" in view(driver).plain and MASKED not in view(driver).plain
        # another program, here and on the map
        await press(driver, "plus", "plus", "plus")
        assert "program 3 of 4" in view(driver).plain and driver.map.selection.program == 3
        assert f"load x_ptr: 232 lanes  {MASKED} 24 masked off" in view(driver).plain
        while view(driver).lane < 224:
            await press(driver, "colon")
        await press(driver, "comma")
        assert f"lane {view(driver).lane} of 256" in view(driver).plain and view(driver).lane < 232
        await press(driver, *["full_stop"] * (232 - view(driver).lane))
        assert f"lane 232 of 256  = 0.0  {MASKED} masked off" in view(driver).plain
        # a round of the loop and the next
        await to(driver, "y = y * 1.0")
        assert "round 1" in view(driver).plain
        await press(driver, "pagedown")
        assert here(driver) == "y = y * 1.0" and "round 2" in view(driver).plain
        assert "y: nothing changes" in view(driver).plain
        await press(driver, "pageup")
        assert "round 1" in view(driver).plain
        # into a device function and out of it, and over it
        await to(driver, "def plus(a, b):")
        assert "into plus" in view(driver).plain and "add_kernel › plus" in view(driver).plain
        assert editor.pointed_line == line_of("def plus(a, b):")
        await press(driver, "u")
        assert here(driver) == "total = plus(x, y)" and "offs" in view(driver).plain
        await press(driver, "O")
        assert here(driver) == "if pid == 3:" and "true for this program" in view(driver).plain
        await press(driver, "o")
        assert here(driver) == "total = plus(x, y)"
        # the other programs take the other branch
        await press(driver, "minus", "home")
        assert "program 2 of 4" in view(driver).plain
        await to(driver, "total = x + y")
        # a name stays chosen until what changes is followed again
        await press(driver, "up", "up")
        chosen = view(driver).chosen
        assert chosen is not None and f"▸ {chosen}" in view(driver).plain
        await press(driver, "left", "left")
        assert view(driver).chosen == chosen
        await press(driver, "f", "home", "end")
        assert here(driver) == "tl.store(out_ptr + offs, total, mask=mask)" and "→ out_ptr" in view(driver).plain
        # where the first infinity is born
        await press(driver, "home", "i")
        assert here(driver) == "ratio = total / (x - x)" and "inf from step" in view(driver).plain
        # the map has the last word on the program when it is turned to
        await press(driver, "2", "left", "3")
        assert "program 1 of 4" in view(driver).plain
        await press(driver, "enter")
        assert driver.app.focused is editor
        assert editor.cursor_location[0] + 1 == line_of("ratio = total / (x - x)")
        # nothing is pointed at in a text that is another by now
        await driver.type(" ")
        assert editor.pointed_line is None


async def test_a_nan_of_another_case_is_said_to_be_of_another(home: Path) -> None:
    async with opened((80, 24)) as driver:
        await driver.go("write-it")
        await driver.set_text(TEXT.replace("total / (x - x)", "total").replace("total, mask=", SINGLE))
        await driver.judged()
        driver.workspace.results.pick("steps")
        driver.workspace.show_pane("results")
        await press(driver, "end")
        assert "NaN only in the case n = 1" in view(driver).plain
        await driver.press("f6")
        assert "NaN solo nel caso n = 1" in view(driver).plain
        await driver.set_text(TEXT.replace("total / (x - x)", "total"))
        await driver.judged()
        assert "NaN" not in view(driver).plain


async def test_steps_at_every_size_in_both_languages_and_of_a_kernel_that_stops(home: Path) -> None:
    async with opened((80, 24)) as driver:
        await driver.go("write-it")
        await driver.set_text(TEXT.replace("y = y * 1.0", "y = y * missing"))
        await driver.judged()
        driver.workspace.results.pick("steps")
        driver.workspace.show_pane("results")
        await driver.pilot.pause()
        await press(driver, "end")
        assert here(driver) == "y = y * missing" and "the kernel stops here" in view(driver).plain
        for size in ((60, 18), (100, 30), (200, 60), (80, 24)):
            await driver.pilot.resize_terminal(*size)
            await driver.pilot.pause()
            await view(driver).settled()
            assert here(driver).startswith("y = y * missing")
            assert len(view(driver).plain.splitlines()) <= view(driver).size.height
            assert ("pid = tl.program_id(0)" in view(driver).plain) == (size[0] == 200), "the path needs room"
        await press(driver, "f6")
        assert "il kernel si ferma qui" in view(driver).plain
        await driver.set_text("import torch\n")
        await driver.judged()
        assert "quando un kernel" in view(driver).plain
