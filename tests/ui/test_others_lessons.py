"""Lessons of other people in the application: asked about once, opened, and kept apart from one's own."""

from pathlib import Path

from terminal import terminal

SMALL = Path(__file__).parents[1] / "small_course"
COMMAND = ("-m", "tritontui", "--lang", "en", "--device", "cpu", "--lessons", str(SMALL))


def test_they_are_opened_once_they_were_allowed(home: Path) -> None:
    with terminal(home, command=COMMAND) as shown:
        shown.until(lambda: "Run them from now on? [y/N]" in shown.text)
        assert "lessons are programs" in shown.text
        shown.send(b"n\n")
        assert shown.end() == 2
        assert "Nothing of it was run." in shown.text
        assert not list(home.rglob("progress.sqlite"))
    with terminal(home, command=COMMAND) as shown:
        shown.until(lambda: "Run them from now on? [y/N]" in shown.text)
        shown.send(b"y\n")
        shown.until(lambda: "Welcome to tritontui" in shown.text)
        shown.send(b"\r")
        shown.until(lambda: "1 Small · step 1/" in shown.text and "this program" in shown.text)
        shown.send(b"\x11")
        assert shown.end() == 0
    [progress] = home.rglob("progress.sqlite")
    assert progress.parent.parent.name == "courses", "one's own progress has nothing of it"
    with terminal(home, command=COMMAND) as shown:
        shown.until(lambda: "1 Small · step 1/" in shown.text)
        shown.send(b"\x11")
        shown.end()
