"""Progress survives damage, newer versions, two sessions and a full disk, and says what happened."""

from __future__ import annotations

import sqlite3
import stat
import threading
from pathlib import Path

import pytest

from tritontui.course.loader import load_course
from tritontui.course.progress import Position, Progress, reached
from tritontui.course.storage import StorageError


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "progress.sqlite"


def test_what_is_recorded_is_there_again(path: Path) -> None:
    times = iter(range(100))
    progress = Progress(path, clock=lambda: float(next(times)))
    progress.mark_done("05-a", "one")
    progress.mark_done("05-a", "one")
    progress.mark_done("06-b", "two")
    progress.set_position("05-a", "two")
    progress.set_setting("language", "it")
    progress.record_answer("05-a", "quiz", "q1", "3", True)
    progress.record_answer("05-a", "quiz", "q2", "3", False)
    progress.record_attempt("vector_add", "fail", ["never-written", "value-mismatch"], "cpu")
    progress.record_attempt("vector_add", "pass", [], "cuda:0")
    for gbps in (4000.0, 4300.0, 4100.0):
        progress.record_measurement("vector_add", "n = 2²⁷", "H200", 1.6e6 / gbps, gbps)
    progress.close()

    again = Progress(path)
    assert again.set_aside is None
    assert again.done("05-a") == {"one"}
    assert again.position() == Position("05-a", "two")
    assert again.setting("language") == "it"
    assert again.setting("theme", "dark") == "dark"
    assert again.answered("05-a", "quiz") == {"q1"}
    assert [attempt.verdict for attempt in again.attempts("vector_add")] == ["fail", "pass"]
    assert again.attempts("vector_add")[0].findings == ("never-written", "value-mismatch")
    assert again.passed("vector_add") and not again.passed("other")
    best = again.best("vector_add", "H200")
    assert best is not None and best.gbps == 4300.0
    assert again.best("vector_add", "A100") is None
    again.forget("05-a")
    assert again.done("05-a") == frozenset() and again.done("06-b") == {"two"}
    assert again.answered("05-a", "quiz") == frozenset()
    again.close()


def test_only_the_owner_can_read_it(path: Path) -> None:
    Progress(path).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_first_visit_has_no_position(path: Path) -> None:
    progress = Progress(path)
    assert progress.position() is None
    progress.close()


@pytest.mark.parametrize(
    "content", [b"not a database at all, but long enough to look at" * 40, b"SQLite format 3\0" + b"\7" * 5000]
)
def test_a_damaged_file_is_kept_aside(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    progress = Progress(path)
    assert progress.set_aside is not None
    assert progress.set_aside.read_bytes() == content
    progress.mark_done("05-a", "one")
    assert progress.done("05-a") == {"one"}
    progress.close()


def test_a_newer_file_is_kept_aside(path: Path) -> None:
    Progress(path).close()
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    for number in (1, 2):
        progress = Progress(path)
        assert progress.set_aside == path.with_name(f"progress.sqlite.aside-{number}")
        progress.close()
        with sqlite3.connect(path) as connection:
            connection.execute("PRAGMA user_version = 99")
        connection.close()


def test_two_sessions_lose_nothing(path: Path) -> None:
    sessions = [Progress(path), Progress(path)]

    def work(session: Progress, name: str) -> None:
        for number in range(30):
            session.mark_done("05-a", f"{name}{number}")

    threads = [
        threading.Thread(target=work, args=(session, name)) for session, name in zip(sessions, "ab", strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(sessions[0].done("05-a")) == 60
    for session in sessions:
        session.close()


def test_a_locked_file_is_said(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tritontui.course.progress.BUSY_TIMEOUT_S", 0.05)
    progress = Progress(path)
    with sqlite3.connect(path) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StorageError) as caught:
            progress.mark_done("05-a", "one")
    other.close()
    assert caught.value.fault == "busy"
    progress.close()


def test_outcomes_need_every_activity() -> None:
    lesson = load_course().lesson(5)
    activities = frozenset(step.id for step in lesson.steps if step.kind != "read")
    readings = frozenset(step.id for step in lesson.steps) - activities
    assert reached(lesson, readings) == frozenset()
    assert "5.1" not in reached(lesson, activities - {"write-it"})
    assert reached(lesson, activities) == {outcome.id for outcome in lesson.outcomes}
