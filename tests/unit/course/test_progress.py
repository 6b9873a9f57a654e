"""Progress survives damage, newer versions, two sessions and a full disk, and says what happened."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
import stat
import subprocess
import sys
import threading
from itertools import chain
from pathlib import Path

import pytest
from mounts import mounted, remount

from tritontui.course import schema
from tritontui.course.loader import load_course
from tritontui.course.model import Lesson
from tritontui.course.outcomes import reached
from tritontui.course.progress import Progress
from tritontui.course.records import ExperimentRecord, Position, PredictionRecord
from tritontui.course.schema import MIGRATIONS
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


def downgrade(path: Path, version: int) -> None:
    """Make the file what an earlier tritontui left: nothing of the migrations after ``version``."""
    path.unlink(missing_ok=True)
    path.parent.mkdir(exist_ok=True)
    connection = sqlite3.connect(path)
    with connection:
        for statement in chain.from_iterable(MIGRATIONS[:version]):
            connection.execute(statement)
        connection.execute("INSERT INTO done VALUES ('05-a', 'one', 1.0)")
        connection.execute(f"PRAGMA user_version = {version}")
    connection.close()


@pytest.mark.parametrize("version", range(1, len(MIGRATIONS) + 1))
def test_a_file_of_any_earlier_version_is_brought_up_to_date(path: Path, version: int) -> None:
    downgrade(path, version)
    progress = Progress(path)
    assert progress.set_aside is None
    assert progress.done("05-a") == {"one"}
    progress.add_time("05-a", "one", 1.0)
    progress.close()
    Progress(path).close()
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS),)
    connection.close()


def test_two_sessions_may_bring_a_file_up_to_date_at_once(path: Path) -> None:
    downgrade(path, 1)
    opened: list[Progress] = []
    barrier = threading.Barrier(4)

    def open_it() -> None:
        barrier.wait()
        opened.append(Progress(path))

    threads = [threading.Thread(target=open_it) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [progress.set_aside for progress in opened] == [None] * 4
    assert opened[0].done("05-a") == {"one"}
    for progress in opened:
        progress.close()


def test_a_migration_that_fails_leaves_the_file_as_it_was(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    downgrade(path, 1)
    before = path.read_bytes()
    monkeypatch.setattr(schema, "MIGRATIONS", (*MIGRATIONS, ("CREATE TABLE done (x)",)))
    monkeypatch.setattr(schema, "VERSION", len(MIGRATIONS) + 1)
    with pytest.raises(StorageError):
        Progress(path)
    assert path.read_bytes() == before


def test_time_adds_up_over_sessions(path: Path) -> None:
    for _ in range(2):
        progress = Progress(path)
        progress.add_time("05-a", "one", 60.0)
        progress.add_time("05-a", "two", 1.5)
        progress.close()
    progress = Progress(path)
    assert progress.time_spent("05-a") == {"one": 120.0, "two": 3.0}
    assert progress.time_spent("06-b") == {}
    progress.close()


def test_a_prediction_is_committed_first_and_judged_by_the_figures_later(path: Path) -> None:
    progress = Progress(path, clock=lambda: 7.0)
    for given in ("2", "3.1"):
        progress.commit_prediction("01-a", "fusion", "ratio", given, {"n": 1024})
    progress.commit_prediction("01-a", "fusion", "which", "fused", {})
    progress.commit_prediction("02-b", "clocks", "which", "host", {})
    assert {record.correct for record in progress.predictions()} == {None}
    verdict = {"correct": True, "figure": "2.97", "distance": 0.04}
    progress.judge_prediction("01-a", "fusion", "ratio", **verdict, source="recorded")  # type: ignore[arg-type]
    progress.judge_prediction("01-a", "fusion", "ratio", **verdict, source="measured")  # type: ignore[arg-type]
    progress.close()

    again = Progress(path)
    first, second, other = again.predictions("01-a", "fusion")
    assert (first.given, first.correct, first.figure) == ("2", None, None), "only the newest is judged"
    assert second == PredictionRecord(
        "01-a", "fusion", "ratio", "3.1", {"n": 1024}, 7.0, True, "2.97", 0.04, "measured"
    )
    assert other.question == "which" and other.correct is None
    assert len(again.predictions("01-a")) == 3 and len(again.predictions()) == 4
    again.forget("01-a")
    assert [record.lesson for record in again.predictions()] == ["02-b"]
    again.close()


def test_the_newest_figures_of_an_experiment_are_kept_beside_the_older(path: Path) -> None:
    progress = Progress(path, clock=lambda: 7.0)
    assert progress.experiment("how_fast") is None and progress.experimented() == frozenset()
    progress.record_experiment("how_fast", "NVIDIA A100", "imported", "{}")
    progress.record_experiment("how_fast", "NVIDIA H200", "measured", '{"schema": 1}')
    assert progress.experiment("how_fast") == ExperimentRecord(
        "how_fast", "NVIDIA H200", "measured", '{"schema": 1}', 7.0
    )
    assert progress.experimented() == {"how_fast"}
    progress.close()


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


def test_a_file_that_was_deleted_meanwhile_is_there_again_whole(path: Path) -> None:
    progress = Progress(path)
    progress.mark_done("05-a", "one")
    shutil.rmtree(path.parent)
    progress.mark_done("05-a", "two")
    progress.close()
    again = Progress(path)
    assert again.done("05-a") == {"one", "two"}
    again.close()


def test_a_file_that_was_exchanged_meanwhile_is_taken_up(path: Path) -> None:
    progress = Progress(path)
    progress.mark_done("05-a", "one")
    restored = Progress(path.with_name("backup.sqlite"))
    restored.mark_done("05-a", "of the backup")
    restored.close()
    restored.path.replace(path)
    progress.mark_done("05-a", "two")
    assert progress.done("05-a") == {"of the backup", "two"}
    progress.close()


def test_damage_in_the_middle_is_found_when_it_is_opened(path: Path) -> None:
    progress = Progress(path)
    for number in range(500):
        progress.set_setting(f"name {number}", "x" * 100)
    progress.close()
    content = bytearray(path.read_bytes())
    content[len(content) // 2 : len(content) // 2 + 4096] = b"\xa5" * 4096
    path.write_bytes(content)
    fresh = Progress(path)
    assert fresh.set_aside is not None and fresh.set_aside.read_bytes() == content
    fresh.close()


def test_a_full_and_a_read_only_disk_are_said_and_lose_nothing(tmp_path: Path) -> None:
    with mounted(tmp_path / "mount") as mount:
        progress = Progress(mount / "progress.sqlite")
        progress.mark_done("05-a", "one")
        ballast = mount / "ballast"
        with contextlib.suppress(OSError), ballast.open("wb") as file:
            while True:
                file.write(b"x" * 512)
                file.flush()
        with pytest.raises(StorageError) as caught:
            progress.mark_done("05-a", "two")
        assert caught.value.fault == "full"
        ballast.unlink()
        progress.mark_done("05-a", "three")
        assert progress.done("05-a") == {"one", "three"}
        progress.close()
        remount(mount, "ro")
        with pytest.raises(StorageError) as caught:
            Progress(mount / "progress.sqlite")
        assert caught.value.fault == "read-only"


def test_a_quota_on_the_file_is_said_and_loses_nothing(path: Path) -> None:
    """Where no file system may be mounted: the process may write so much to a file and no more."""
    script = """
import os, resource, sys
from pathlib import Path
from tritontui.course.progress import Progress
from tritontui.course.storage import StorageError
progress = Progress(Path(sys.argv[1]))
progress.mark_done("05-a", "one")
size = os.path.getsize(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
try:
    progress.record_experiment("add_by_size", "H200", "measured", "x" * 100_000)
except StorageError as error:
    print(error)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
progress.mark_done("05-a", "two")
print(sorted(progress.done("05-a")), progress.experiment("add_by_size"))
"""
    done = subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        f"{path} could not be written: disk I/O error.",
        "['one', 'two'] None",
    ]


def test_outcomes_need_every_activity() -> None:
    lesson = load_course().lesson(5)
    activities = frozenset(step.id for step in lesson.steps if step.kind != "read")
    readings = frozenset(step.id for step in lesson.steps) - activities
    assert reached(lesson, readings) == frozenset()
    assert "5.1" not in reached(lesson, activities - {"write-it"})
    assert reached(lesson, activities) == {outcome.id for outcome in lesson.outcomes}


@pytest.mark.parametrize("lesson", load_course().lessons, ids=lambda lesson: lesson.id)
def test_each_outcome_of_the_course_is_reached_by_its_own_activities_and_no_fewer(lesson: Lesson) -> None:
    for outcome in lesson.outcomes:
        needed = {step.id for step in lesson.steps if step.kind != "read" and outcome.id in step.outcomes}
        assert needed
        assert outcome.id in reached(lesson, needed)
        assert not any(outcome.id in reached(lesson, needed - {step}) for step in needed)
