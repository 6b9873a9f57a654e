"""The map of real kernels, through the real runner: shapes, iterations, slices, overlays, launches, first errors."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from driving import Driver, opened

from tritontui.course import loader
from tritontui.i18n import Language
from tritontui.ui.map.signs import AGAIN, LANE, LANE_MASKED, MASKED, OUT, SELECTED, SHARED


@pytest.fixture
def map_course(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Path(__file__).parents[1] / "map_course"
    monkeypatch.setattr(loader, "lessons_folder", lambda: folder)


@asynccontextmanager
async def on_the_map(step: str, size: tuple[int, int] = (120, 64), language: Language = "en") -> AsyncIterator[Driver]:
    """The map, alone on the screen, of that step's kernel."""
    async with opened(size, language, lesson=1) as driver:
        await press(driver, "f9")
        await show(driver, step)
        yield driver


async def show(driver: Driver, step: str) -> None:
    await driver.go(step)
    view = lambda: driver.app.controller.view  # noqa: E731
    await driver.until(lambda: view().report is not None and view().report.launches and not view().running)
    driver.workspace.results.pick("map")
    driver.workspace.show_pane("results")
    await driver.pilot.pause()
    await driver.map.settled()
    await driver.pilot.pause()


async def press(driver: Driver, *keys: str) -> None:
    for key in keys:
        await driver.press(key)
        await driver.map.settled()


def cells(driver: Driver) -> list[str]:
    """The rows of the picture without their labels, those of the tensor's shape without their ruler."""
    rows = driver.map.rows[2:-4]
    return [row.lstrip().partition(" ")[2] if row[:4].strip() else row for row in rows if row.strip()]


async def test_a_tiled_matrix_is_drawn_as_its_shape(home: Path, map_course: None) -> None:
    async with on_the_map("transpose") as driver:
        head, how, ruler = driver.map.rows[:3]
        assert "load x_ptr · line 11" in head and "program (0, 0) of 3×5" in head
        assert "shape 40×70" in how and ruler.split()[:3] == ["0", "4", "8"]
        await press(driver, "shift+right", "right", "right", "right", "right", "end")
        assert driver.map.selection.program == 9
        row = next(row for row in driver.map.rows if row.startswith("16 "))
        assert row.count(SELECTED) == 6 and row.count(MASKED) == 10
        assert row.index(MASKED) > row.index("│") > row.index(SELECTED), "masked lanes lie beyond the edge"
        assert "lane (15, 15)" in driver.map.rows[-3] and "masked off" in driver.map.rows[-3]
        assert "rm = 1·16 + 15 = 31   rn = 4·16 + 15 = 79   offset = 31·70 + 79 = 2249" in driver.map.rows[-2]
        assert sum(row.count(LANE_MASKED) for row in driver.map.rows[3:-4]) == 1
        # the same lanes in linear memory, and as the transposed output
        await press(driver, "m")
        assert "memory" in driver.map.rows[1] and "│" not in "".join(driver.map.rows[2:-4])
        await press(driver, "m", "down", "home")
        assert "store out_ptr" in driver.map.rows[0] and "shape 70×40" in driver.map.rows[1]
        assert "✓ out_ptr[64, 16]" in driver.map.rows[-3]


async def test_a_loop_walks_over_the_matrix(home: Path, map_course: None) -> None:
    async with on_the_map("matmul") as driver:
        assert "all 4 iterations" in driver.map.rows[1]
        assert sum(row.count(SELECTED) for row in cells(driver)) + 1 == 16 * 64, "of all iterations"
        starts = []
        for number in range(1, 5):
            await press(driver, "i")
            assert f"iteration {number}/4" in driver.map.rows[1]
            row = driver.map.rows[4]
            assert row.count(SELECTED) == 16 and row.count(AGAIN) == 48
            starts.append(row.index(SELECTED))
            assert f"rk = {16 * (number - 1)} + 0" in driver.map.rows[-2] or number == 1
        assert [start - starts[0] for start in starts] == [0, 16, 32, 48]
        await press(driver, "i")
        assert "all 4 iterations" in driver.map.rows[1]
        await press(driver, "I")
        assert "iteration 4/4" in driver.map.rows[1]
        assert "touched by 3 programs" in driver.map.rows[-1]


async def test_rows_columns_and_slices(home: Path, map_course: None) -> None:
    async with on_the_map("softmax", (140, 64)) as driver:
        await press(driver, "right")
        row = next(row for row in driver.map.rows if row.startswith(" 1 "))
        assert row.count(SELECTED) == 99 and "1·100 + 0 = 100" in driver.map.rows[-2]
        await show(driver, "strided-copy")
        assert "shape 12×16" in driver.map.rows[1]
        assert "rn = 0   offset = 1·0·40" not in driver.map.rows[-2] and "stride_n = 2" in driver.map.rows[-1]
        await show(driver, "expanded")
        await press(driver, "down")
        assert "load bias_ptr" in driver.map.rows[0]
        filled = [row for row in cells(driver)[1:] if SELECTED in row]
        assert len(filled) == 10, "one row of memory stands in every row"
        assert "bias_ptr[:, 0]" in driver.map.rows[-2] and "touched by 10 programs" in driver.map.rows[-1]
        await show(driver, "copy3d")
        assert "slice [0, :, :]" in driver.map.rows[1]
        await press(driver, "right", "end")
        assert "slice [1, :, :]" in driver.map.rows[1], "the slice is the one that the program is in"
        assert sum(row.count(SELECTED) for row in driver.map.rows[2:-4]) == 2 * 5 * 12
        await press(driver, "c")
        assert "slice [2, :, :]" in driver.map.rows[1] and SELECTED not in "".join(driver.map.rows[2:-4])


async def test_launches_errors_and_overlays(home: Path, map_course: None) -> None:
    async with on_the_map("two-launches") as driver:
        head = driver.map.rows[0]
        assert "launch 3/3 shift_kernel · store out_ptr · line 17" in head, "the map opens on the first error"
        assert "program 3 of 4" in head and "lane 4: 3·32 + 4 = 100" in driver.map.rows[-2]
        assert OUT in "".join(driver.map.rows[2:-3]) and "outside" in driver.map.rows[-3]
        await press(driver, "j")
        assert "launch 1/3 scale_kernel" in driver.map.rows[0]
        await press(driver, "J", "J")
        assert "launch 2/3 scale_kernel" in driver.map.rows[0]
        await press(driver, "o")
        assert "how often it is written" in driver.map.rows[1] and "never" in driver.map.rows[-3]
        await press(driver, "o")
        assert "sectors that move" in driver.map.rows[1] and ", at best" in driver.map.rows[-3]
        await press(driver, "o")
        assert "who touches it" in driver.map.rows[1]
        await press(driver, "enter")
        assert driver.app.focused is driver.workspace.editor


async def test_zoom_and_pan(home: Path, map_course: None) -> None:
    async with on_the_map("transpose", (80, 24)) as driver:
        assert "1 cell = " in driver.map.rows[1]
        before = driver.map.rows[2:]
        await press(driver, "plus", "plus", "plus", "plus", "plus")
        assert "1 cell" not in driver.map.rows[1]
        top = driver.map.rows[3]
        await press(driver, "pagedown")
        assert driver.map.rows[3] != top and LANE not in "".join(driver.map.rows[3:-4]), "the view goes, the lane stays"
        await press(driver, "w", "w", "w")
        assert driver.map.rows[3] == top
        await press(driver, "d")
        assert driver.map.rows[2].split()[0] != "0"
        await press(driver, "end")
        assert LANE in "".join(driver.map.rows[3:-4]), "a moved lane is brought into view"
        await press(driver, "home", "0")
        assert driver.map.rows[2:] == before


async def test_a_flat_index_goes_on_in_the_next_row(home: Path, map_course: None) -> None:
    async with on_the_map("flat-add") as driver:
        await press(driver, "right")
        rows = [row for row in driver.map.rows[3:-3] if SELECTED in row or LANE in row]
        assert [row[:2].strip() for row in rows] == ["2", "3", "4"]
        assert SHARED not in "".join(driver.map.rows[3:-3])


async def test_no_choice_is_cut_off_where_room_is_short(home: Path, map_course: None) -> None:
    async with on_the_map("two-launches", (80, 24)) as driver:
        for step, pressed in (("two-launches", "J"), ("matmul", "i"), ("copy3d", "end")):
            await show(driver, step)
            await press(driver, pressed)
            for language in ("en", "it"):
                for _ in range(3):
                    await press(driver, "o")
                    head, how, *_, legend = driver.map.rows[:-2] if step == "two-launches" else driver.map.rows[:-3]
                    assert not any(row.endswith("…") for row in (head, how, legend)), (language, head, how, legend)
                    assert " o " in f" {how}"
                await press(driver, "f6")
        await driver.pilot.resize_terminal(60, 18)
        await driver.pilot.pause()
        await show(driver, "matmul")
        await press(driver, "f6", "i", "o")
        assert driver.map.rows[1].startswith("m forma 48×64  i 1/4  o scritture  1 cella = ")


async def test_everything_is_said_in_italian(home: Path, map_course: None) -> None:
    async with on_the_map("matmul", language="it") as driver:
        await press(driver, "i", "o", "o")
        text = "\n".join(driver.map.rows)
        for english in ("program ", "iteration ", "load ", "line ", "cell", "sectors", "wasted", "touched", "others"):
            assert english not in text, english
