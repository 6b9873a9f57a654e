"""The Compiler tab: listings of the learner's own kernel, linked with the source both ways."""

from __future__ import annotations

from pathlib import Path

import pytest
from driving import Driver, opened, solution

from tritontui.engine.messages import CompilerReport
from tritontui.i18n import translator
from tritontui.ui.code.highlight import styles
from tritontui.ui.code.machine_code import code_line, spans
from tritontui.ui.views.compiler_report import report_blocks
from tritontui.ui.views.trace_words import resource_words
from tritontui.ui.widgets.compiler import CompilerView

ROWS = solution().splitlines()
STORE = next(number for number, row in enumerate(ROWS, 1) if "tl.store" in row)
LOAD = next(number for number, row in enumerate(ROWS, 1) if "tl.load" in row)


def view(driver: Driver) -> CompilerView:
    return driver.workspace.query_one(CompilerView)


async def press(driver: Driver, *keys: str) -> None:
    for key in keys:
        await driver.press(key)
        await view(driver).settled()
        await driver.pilot.pause()


def lit(driver: Driver) -> set[str]:
    """Source lines of the rows that are lit."""
    rows = view(driver).plain.splitlines()[1:]
    return {row[1:6].strip() for row in rows if row.startswith(("▸", "▌"))}


async def test_listings_and_source_are_linked_both_ways(home: Path) -> None:
    async with opened() as driver:
        await driver.go("write-it")
        await driver.set_text(solution())
        await driver.judged()
        editor = driver.workspace.editor
        editor.goto(LOAD)
        await driver.press("ctrl+o")
        await press(driver, "5")
        assert "[Overview] TTIR" in view(driver).plain and "registers per thread" in view(driver).plain
        # the overview's accesses point at their lines
        assert editor.pointed_line == LOAD
        await press(driver, "down", "down")
        assert editor.pointed_line == STORE
        # a listing opens at the line of the editor's cursor
        words = {"TTIR": "tt.load", "TTGIR": "tt.load", "LLVM IR": "getelementptr", "PTX": "ld.global"}
        for kind, word in words.items():
            await press(driver, "right")
            assert f"[{kind}]" in view(driver).plain and word in view(driver).plain
            assert editor.pointed_line == LOAD and lit(driver) == {str(LOAD)}
        # the editor's cursor moves the listing
        listing = view(driver).listing
        editor.goto(STORE)
        await driver.pilot.pause()
        assert view(driver).cursor == listing.sources.index(STORE) and lit(driver) == {str(STORE)}
        # and the listing's cursor the editor's pointer, not its cursor
        await press(driver, "home")
        assert editor.pointed_line is None, "the first line of PTX comes from no line of the kernel"
        await press(driver, "end")
        assert editor.pointed_line == (listing.sources[-1] or None)
        editor.goto(LOAD)
        await driver.pilot.pause()
        await press(driver, "full_stop")
        assert view(driver).cursor > listing.sources.index(LOAD) and editor.pointed_line == LOAD
        assert editor.cursor_location[0] + 1 == LOAD
        before = view(driver).plain
        await press(driver, "greater_than_sign")
        assert view(driver).plain != before
        await press(driver, "less_than_sign")
        assert view(driver).plain == before
        # only the window is drawn; machine code is made when it is asked for
        await press(driver, "right")
        assert "[SASS]" in view(driver).plain and "IMAD" in view(driver).plain
        assert len(view(driver).plain.splitlines()) <= view(driver).size.height
        await press(driver, "pagedown", "pageup", "enter")
        assert driver.app.focused is editor
        await driver.press("f6")
        driver.workspace.results.shown.focus()
        await press(driver, *["left"] * 5)
        assert "[Sintesi]" in view(driver).plain and "registri" in view(driver).plain
        # a text that isn't right any more has no machine code
        await driver.set_text("import torch\n")
        await driver.judged()
        assert "Sintesi" not in view(driver).plain and editor.pointed_line is None


@pytest.mark.parametrize(
    ("listing", "line", "kinds"),
    [
        (
            "ttir",
            "  %x = tt.load %p : tensor<256x!tt.ptr<f32>, #blocked>",
            {"tt.load": "triton", "tensor<256x!tt.ptr<f32>, #blocked>": "dtype"},
        ),
        ("ttgir", "#blocked = #ttg.blocked<{order = [0]}>", {"#blocked": "decorator", "0": "number"}),
        ("llir", "  %8 = shl i32 %7, 8", {"shl": "keyword"}),
        ("ptx", "  @%p1 ld.global.v4.b32 {%r1}, [%rd1];", {"@%p1": "decorator", "ld.global.v4.b32": "triton"}),
        (
            "sass",
            "/*0140*/  @!P0 LDG.E R11, desc[UR4]",
            {"/*0140*/": "comment", "@!P0": "decorator", "LDG.E": "triton"},
        ),
        ("amdgcn", "    v_add_f32_e32 v2, v3, v4 ; sum", {"v_add_f32_e32": "triton", "; sum": "comment"}),
    ],
)
def test_colours_of_listings(listing: str, line: str, kinds: dict[str, str]) -> None:
    found = {line[first:last]: kind for first, last, kind in spans(listing, line)}
    assert kinds.items() <= found.items()
    assert code_line(listing, line, "dark").plain == line
    assert set(found.values()) <= set(styles("dark"))


@pytest.mark.parametrize(
    ("size", "said", "in_short"),
    [
        (16, "16 B", "16 reg · 16 B"),
        (196_608, "196.608 B (192 KiB)", "16 reg · 192 KiB"),
        (4_200, "4.200 B (4,1 KiB)", "16 reg · 4,1 KiB"),
        (0, "0 B", "16 reg"),
    ],
)
def test_shared_memory_is_given_as_the_limits_of_gpus_are(size: int, said: str, in_short: str) -> None:
    report = CompilerReport(
        kernel="k", target="sm_90", registers=16, spill_bytes=0, shared_bytes=size, num_warps=4, num_stages=3,
        occupancy=1.0, occupancy_limit="warps", widths=[], seconds=0.06, listings={},
    )  # fmt: skip
    rows = [block.text.plain.rstrip() for block in report_blocks(report, translator("it"))]
    assert [row for row in rows if row.endswith(said)]
    assert resource_words(report, translator("it")) == in_short
    assert [row for row in rows if row.endswith("100%")], "nothing limits what is full"
