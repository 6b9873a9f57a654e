"""In a real terminal: the first screen, and ends that nobody chose."""

import select
import signal
import time
from pathlib import Path

import pytest
from driving import work_file
from terminal import Terminal, terminal


def begin_typing(shown: Terminal) -> None:
    """Wait for the editor, and type before anything has been saved."""
    shown.until(lambda: "[Verdict" in shown.text)
    shown.send(b"\x0f")
    shown.until(lambda: "▌vector_add.py" in shown.text)
    shown.send(b"# precious")
    shown.until(lambda: "# precious" in shown.text)


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM])
def test_nothing_typed_is_lost_when_the_line_drops(home: Path, number: int) -> None:
    with terminal(home) as shown:
        begin_typing(shown)
        shown.process.send_signal(number)
        shown.end()
        assert work_file(home).read_text().startswith("# precious")
        assert shown.modes == shown.modes_before
        assert shown.raw.endswith(b"\x1b[?1049l") or b"\x1b[?1049l" in shown.raw[-400:]


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM])
def test_an_end_at_the_first_frame_gives_the_terminal_back(home: Path, number: int) -> None:
    with terminal(home) as shown:
        shown.until(lambda: "^R run" in shown.text)
        shown.process.send_signal(number)
        assert shown.end() in (1, 128 + number, -number)
        assert shown.modes == shown.modes_before
        assert shown.raw.count(b"\x1b[?1049l") and not shown.raw.rpartition(b"\x1b[?1049l")[2].count(b"\x1b[?1049h")


def test_the_first_frame_stays_until_the_workspace_takes_its_place(home: Path) -> None:
    with terminal(home) as shown:
        seen: list[str] = []

        def furnished() -> bool:
            seen.append(shown.text)
            return "[Verdict" in shown.text

        shown.until(furnished)
        first = next(number for number, text in enumerate(seen) if "^R run" in text)
        assert b"\x1b[?1003h" not in shown.raw[: shown.raw.index(b"^R")], "Textual came after it"
        for text in seen[first:]:
            assert "Vector addition" in text and "vector_add.py" in text and "^R run" in text


def test_a_terminal_that_is_gone_ends_it_and_loses_nothing(home: Path) -> None:
    with terminal(home) as shown:
        begin_typing(shown)
        shown.vanish()
        shown.process.wait(20)
    assert work_file(home).read_text().startswith("# precious")


def test_a_terminal_that_is_not_read_loses_nothing_and_goes_on(home: Path) -> None:
    """A connection that stalls: nobody takes what is drawn, until the application can't draw any more."""
    with terminal(home) as shown:
        begin_typing(shown)
        shown.send(b"." * 1500)  # each draws some 80 bytes; a terminal holds a few thousand
        deadline = time.monotonic() + 20
        while not (work_file(home).exists() and "# precious..." in work_file(home).read_text()):
            assert time.monotonic() < deadline
            select.select([], [], [], 0.05)
        shown.until(lambda: "." * 60 in shown.text)
        shown.send(b"!\x11")
        assert shown.end() == 0
        line = work_file(home).read_text().partition("\n")[0]
        assert (line.count("."), line.count("!")) == (1500, 1), line[1490:]


def test_quitting_at_once_loses_nothing(home: Path) -> None:
    with terminal(home) as shown:
        begin_typing(shown)
        shown.send(b" to the last key\x11")
        assert shown.end() == 0
        assert work_file(home).read_text().startswith("# precious to the last key")
        assert shown.modes == shown.modes_before
        assert "vector_add" not in shown.text, (
            "in a terminal without an alternate screen it would stay before the shell"
        )


@pytest.mark.parametrize(("step", "keys"), [("write-it", b"hello "), ("which-elements", b"\x0fhello ")])
def test_keys_typed_before_the_editor_is_there_reach_it(home: Path, step: str, keys: bytes) -> None:
    with terminal(home) as shown:
        begin_typing(shown)
        shown.send(b"\x11")
        shown.end()
    from tritontui.course.paths import Paths
    from tritontui.course.progress import Progress

    progress = Progress(Paths.find({"TRITONTUI_HOME": str(home)}).progress)
    progress.set_position("05-vector-addition", step)
    progress.close()
    with terminal(home) as shown:
        shown.until(lambda: "out[i] = x[i] + y[i]" in shown.text)
        assert "Verdict" not in shown.text
        shown.send(keys)
        shown.until(lambda: "hello # precious" in shown.text)
        shown.send(b"\x11")
        shown.end()
    assert work_file(home).read_text().startswith("hello # precious")


def test_another_editor_opens_the_same_file(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "edit"
    script.write_text('#!/bin/sh\necho EDITING "$1"\nread answer\necho "# by $answer" > "$1"\n')
    script.chmod(0o755)
    monkeypatch.setenv("EDITOR", str(script))
    with terminal(home) as shown:
        begin_typing(shown)
        shown.send(b"\x10$EDITOR\r")
        shown.until(lambda: "EDITING" in shown.text)
        assert work_file(home).read_text().startswith("# precious"), "what was typed is in the file that opens"
        shown.send(b"hand\r")
        shown.until(lambda: "# by hand" in shown.text and "[Verdict" in shown.text)
        shown.send(b"\x11")
        assert shown.end() == 0
    assert work_file(home).read_text() == "# by hand\n"


FAULTY = """#!/bin/sh
trap '' INT QUIT
kill -INT 0
kill -QUIT 0
kill -STOP $$
kill -TSTP $$
printf '# so far\\n' > "$1"
kill -SEGV $$
"""
"""Ctrl-C and Ctrl-\\ go to the whole group; it stops, alone and as an editor does; it crashes in the middle."""


def test_an_editor_that_is_interrupted_stopped_and_crashes_takes_nothing_along(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "edit"
    script.write_text(FAULTY)
    script.chmod(0o755)
    monkeypatch.setenv("EDITOR", str(script))
    with terminal(home) as shown:
        begin_typing(shown)
        shown.send(b"\x10$EDITOR\r")
        shown.until(lambda: "ended with status -11" in shown.text and "# so far" in shown.text)
        shown.send(b"!\x11")
        assert shown.end() == 0
        assert work_file(home).read_text() == "# so far!\n"
        assert shown.modes == shown.modes_before
