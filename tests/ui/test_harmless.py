"""Text from outside can't drive the terminal: every control character and override, wherever such text is shown."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from captured import CaptureDriver
from driving import opened, work_file
from fake_engine import FakeEngine

from tritontui.ui.widgets.lesson import LessonView
from tritontui.ui.widgets.output import OutputView

SEQUENCES = (
    "\x1b]0;pwned\x07",
    "\x1b]52;c;cHduZWQ=\x1b\\",
    "\x1b[2J",
    "\x1bc",
    '\x1bP$q"p\x1b\\',
    "\x9b5n",
    "\x9d0;t\x9c",
)
CONTROLS = [chr(code) for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\n\t"]
OVERRIDES = [chr(code) for code in (0x061C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A), 0xFEFF)]
HOSTILE = "".join(f"a{each}b" for each in (*SEQUENCES, *CONTROLS, *OVERRIDES, "\ud800"))

OWN = re.compile(
    r"\x1b\[[0-9;]*[mHGJ]"  # pens, places
    r"|\x1b\[\?(?:25|2026|1049|1000|1003|1004|1006|1015|2004|2048|7)[hl]"
    r"|\x1b\[>?<?[0-9]*u|\x1b\[\?2026\$p|\x1b\[\?2048\$p|\x1b\]22;\w+\x07|\r?\n"
)
"""What the application itself writes to a terminal."""


def foreign(written: str) -> set[str]:
    """What is neither text nor one of the application's own sequences."""
    rest = OWN.sub("", written)
    return {each for each in (*CONTROLS, *OVERRIDES, "\ud800") if each in rest}


@pytest.mark.parametrize("frame_diff", ["1", "0"], ids=["frames of our own", "Textual's frames"])
async def test_nothing_that_is_shown_steers_the_terminal(home: Path, frame_diff: str) -> None:
    work_file(home).parent.mkdir(parents=True)
    work_file(home).write_text("x = 1  # " + HOSTILE.replace("\ud800", "") + "\n")
    environ = {"TERM": "xterm-256color", "TRITONTUI_FRAME_DIFF": frame_diff}
    async with opened(engine=FakeEngine(), captured=True, environ=environ) as driver:
        await driver.go("write-it")
        terminal = driver.app._driver
        assert isinstance(terminal, CaptureDriver)
        driver.workspace.results.pick("output")
        await driver.judged()
        report = SimpleNamespace(output=f"printed {HOSTILE}\n", output_dropped=0)
        driver.workspace.query_one(OutputView).show(SimpleNamespace(report=report))
        driver.workspace._set_trouble(f"trouble {HOSTILE}")
        driver.workspace.query_one(LessonView).show_plain(f"title {HOSTILE}", f"body {HOSTILE}")
        written = ""
        for _ in range(50):
            driver.app.redraw()
            await driver.pilot.pause()
            written += terminal.take()
            if all(words in OWN.sub("", written) for words in ("x = 1", "printed", "trouble", "body")):
                break
        else:
            raise AssertionError(OWN.sub("", written)[-5000:])
        assert foreign(written) == set()
