"""The learner's code is never lost: real faults of the disk, a kill in the middle of a write, versions."""

from __future__ import annotations

import errno
import os
import pwd
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from mounts import mounted, remount

from tritontui.course.loader import load_course
from tritontui.course.paths import Paths
from tritontui.course.storage import MESSAGES, StorageError, write_atomically
from tritontui.course.work import VERSION_INTERVAL_S, VERSIONS_KEPT, Work


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


class Clock:
    """A clock that the test moves."""

    def __init__(self) -> None:
        self.now = time.time()

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def work(tmp_path: Path, clock: Clock) -> Work:
    return Work(tmp_path / "work", clock, elapsed=clock)


def test_save_and_read(work: Work) -> None:
    assert work.read("add") is None
    assert work.stamp("add") is None
    for _ in range(2):
        assert not work.save("add", "x = 1\nà\n")
    assert work.read("add") == "x = 1\nà\n"
    assert work.path("add").read_bytes() == "x = 1\nà\n".encode()
    assert work.exercises() == ["add"]
    assert stat.S_IMODE(work.folder.stat().st_mode) == 0o700
    assert names(work.folder) == ["add.py"]


def test_versions_come_now_and_then_and_the_last_twenty_stay(work: Work, clock: Clock) -> None:
    work.save("add", "0")
    work.save("add", "1")  # the first text that is replaced is kept
    clock.now += VERSION_INTERVAL_S / 2
    work.save("add", "2")  # too soon for another
    assert [version.read() for version in work.versions("add")] == ["0"]
    for number in range(3, 40):
        clock.now += VERSION_INTERVAL_S + 1
        work.save("add", str(number))
    versions = work.versions("add")
    assert [version.read() for version in versions] == [str(number) for number in range(38, 38 - VERSIONS_KEPT, -1)]
    assert versions[0].saved == pytest.approx(clock.now, abs=1e-3)


def test_a_clock_that_is_set_back_or_forth_costs_no_version(tmp_path: Path) -> None:
    wall, elapsed = Clock(), Clock()
    work = Work(tmp_path, wall, elapsed)
    for number, jump in enumerate([0, 10 * 365 * 86400, -20 * 365 * 86400, 0, -86400, 0]):
        wall.now += jump
        for step in range(5):
            work.save("add", f"{number} {step}")  # the first of five: the others come too soon after it
            elapsed.now += VERSION_INTERVAL_S / 5 + 1
    kept = [version.read() for version in work.versions("add")]
    assert kept == sorted(kept, reverse=True)
    assert len(kept) == 6
    again = Work(tmp_path, wall, elapsed)  # a session that begins with a clock behind the newest version
    again.save("add", "again")
    assert [version.read() for version in again.versions("add")][:2] == ["5 4", kept[0]]


def test_reset_keeps_the_old_text(work: Work, clock: Clock) -> None:
    exercise = load_course().exercise("vector_add")
    assert work.open(exercise) == exercise.starter.read_text()
    assert work.read(exercise.id) is None
    work.save(exercise.id, "mine")
    assert work.open(exercise) == "mine"
    assert work.reset(exercise) == work.read(exercise.id) == exercise.starter.read_text()
    assert [version.read() for version in work.versions(exercise.id)] == ["mine"]


def test_keep_repeats_nothing(work: Work, clock: Clock) -> None:
    work.keep("add")
    work.save("add", "a")
    work.keep("add")
    clock.now += 1
    work.keep("add")
    assert [version.read() for version in work.versions("add")] == ["a"]


def test_a_change_by_another_editor_shows(work: Work) -> None:
    work.save("add", "a")
    before = work.stamp("add")
    work.path("add").write_text("ab")
    assert work.stamp("add") != before


def test_a_file_that_is_not_utf8_opens(work: Work) -> None:
    work.save("add", "a")
    work.path("add").write_bytes(b"x = 1 # \xff\r\n")
    assert work.read("add") == "x = 1 # \N{REPLACEMENT CHARACTER}\n"


def test_a_byte_order_mark_is_no_part_of_the_text(work: Work) -> None:
    work.save("add", "a")
    work.path("add").write_bytes(b"\xef\xbb\xbfx = 1\r\n")
    assert work.read("add") == "x = 1\n"


def test_a_link_stays_one_and_what_it_leads_to_is_written(work: Work, tmp_path: Path) -> None:
    elsewhere = tmp_path / "repository" / "mine.py"
    elsewhere.parent.mkdir()
    elsewhere.write_text("a")
    work.folder.mkdir(parents=True)
    work.path("add").symlink_to(elsewhere)
    assert work.read("add") == "a"
    assert work.save("add", "b") is False
    assert (work.path("add").is_symlink(), elsewhere.read_text()) == (True, "b")


@pytest.mark.parametrize("special", ["pipe", "device", "loop"])
def test_what_is_no_file_is_said_and_not_waited_for(work: Work, special: str) -> None:
    path = work.path("add")
    path.parent.mkdir(parents=True)
    if special == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero" if special == "device" else path.name)
    with pytest.raises(StorageError) as caught:
        work.save("add", "a")
    assert caught.value.fault == ("unreadable" if special == "loop" else "special")


def test_a_folder_where_the_file_should_be(work: Work) -> None:
    work.path("add").mkdir(parents=True)
    with pytest.raises(StorageError):
        work.read("add")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_leave_to_write(work: Work) -> None:
    work.save("add", "before")
    work.folder.chmod(0o500)
    with pytest.raises(StorageError) as caught:
        work.save("add", "after")
    work.folder.chmod(0o700)
    assert caught.value.fault == "denied"
    assert work.read("add") == "before"


@pytest.fixture
def mount(tmp_path: Path) -> Iterator[Path]:
    """A file system of 64 kB of its own."""
    with mounted(tmp_path / "mount") as folder:
        yield folder


def test_a_full_disk(mount: Path) -> None:
    work = Work(mount / "work")
    work.save("add", "before")
    (mount / "ballast").write_bytes(b"x" * 16 * 1024)
    with pytest.raises(StorageError) as caught:
        work.save("add", "after" * 20_000)
    assert caught.value.fault == "full"
    assert work.read("add") == "before"
    assert names(work.folder) == ["add.py", "versions"]


def test_a_read_only_disk(mount: Path) -> None:
    work = Work(mount / "work")
    work.save("add", "before")
    remount(mount, "ro")
    with pytest.raises(StorageError) as caught:
        work.save("add", "after")
    assert caught.value.fault == "read-only"
    assert work.read("add") == "before"


def test_a_file_size_limit(tmp_path: Path) -> None:
    """As a full disk, where no file system may be mounted: the process may write 4 kB to a file."""
    script = """
import resource, signal, sys
from pathlib import Path
from tritontui.course.storage import StorageError
from tritontui.course.work import Work
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
work = Work(Path(sys.argv[1]))
work.save("add", "before")
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    work.save("add", "x" * 10_000)
except StorageError as error:
    print(error.fault, work.read("add"))
"""
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "w")], capture_output=True, text=True, check=True
    )
    assert done.stdout == "full before\n"


def test_killed_while_writing(tmp_path: Path) -> None:
    """A process that does nothing but save is killed again and again: the file always holds one whole text."""
    script = """
import sys
from pathlib import Path
from tritontui.course.work import Work
work = Work(Path(sys.argv[1]))
number = 0
while True:
    work.save("add", f"{number}\\n" * 20_000)
    number += 1
    print(number, flush=True)
"""
    for _ in range(5):
        process = subprocess.Popen([sys.executable, "-c", script, str(tmp_path)], stdout=subprocess.PIPE)
        assert process.stdout is not None
        for _ in range(3):
            process.stdout.readline()
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        lines = (tmp_path / "add.py").read_text().splitlines()
        assert (len(lines), len(set(lines))) == (20_000, 1)
    for number, age in enumerate((60, 3 * 3600)):  # one may be another session's
        stray = tmp_path / f".add.py.{number}.new"
        stray.touch()
        os.utime(stray, (time.time() - age,) * 2)
    for left in set(tmp_path.glob(".*.new")) - {tmp_path / ".add.py.0.new"}:
        os.utime(left, (0, 0))
    Work(tmp_path).save("add", "after")
    assert [path.name for path in tmp_path.glob(".*")] == [".add.py.0.new"]


@pytest.mark.parametrize("step", ["open", "fsync", "replace"])
def test_a_quota_is_said_wherever_it_is_met(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    work = Work(tmp_path)
    work.save("add", "before")

    def refuse(*_: object) -> None:
        raise OSError(errno.EDQUOT, os.strerror(errno.EDQUOT))

    with monkeypatch.context() as patched, pytest.raises(StorageError) as caught:
        patched.setattr(os, step, refuse)
        write_atomically(work.path("add"), "after")
    assert caught.value.fault == "full"
    assert (work.read("add"), list(tmp_path.glob(".*"))) == ("before", [])


def test_an_interrupted_write_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file.py"
    write_atomically(path, "before")

    def interrupted(descriptor: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(path, "after")
    assert names(tmp_path) == ["file.py"]
    assert path.read_text() == "before"


def test_every_fault_has_words() -> None:
    for fault in MESSAGES:
        assert str(StorageError(fault, Path("/x/add.py"), "why")).endswith(".")


def test_folders_are_the_learners_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = Paths.find({"TRITONTUI_HOME": str(tmp_path / "new" / "home")})
    paths.create()
    made = [tmp_path / "new", tmp_path / "new" / "home", paths.data, paths.work, paths.cache, paths.state]
    assert {stat.S_IMODE(folder.stat().st_mode) for folder in made} == {0o700}
    paths.work.chmod(0o755)
    paths.create()
    assert stat.S_IMODE(paths.work.stat().st_mode) == 0o700, "one that stood open is closed"
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    with pytest.raises(StorageError) as caught:
        paths.create()
    assert caught.value.fault == "foreign"


def test_a_file_above_the_folder_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StorageError) as caught:
        Paths.find({"TRITONTUI_HOME": str(tmp_path / "file" / "home")}).create()
    assert caught.value.fault == "file"


def test_paths_follow_the_variable(tmp_path: Path) -> None:
    paths = Paths.find({"TRITONTUI_HOME": str(tmp_path / "home")})
    paths.create()
    for folder in (paths.data, paths.work, paths.cache, paths.state):
        assert folder.is_relative_to(tmp_path / "home")
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert paths.progress.parent == paths.data


def test_paths_follow_the_system(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("DATA", "CACHE", "STATE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name))
    paths = Paths.find({})
    assert paths.work == tmp_path / "DATA" / "tritontui" / "work"
    assert paths.cache == tmp_path / "CACHE" / "tritontui"
    assert paths.log.parent == tmp_path / "STATE" / "tritontui"


def test_a_home_that_nobody_knows_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """A user without an entry in passwd, as in containers, and without HOME."""
    with pytest.raises(StorageError) as caught:
        Paths.find({"TRITONTUI_HOME": "~no-such-user/tritontui"})
    assert caught.value.fault == "homeless" and "~no-such-user" in str(caught.value)
    monkeypatch.setattr(os, "environ", {})
    monkeypatch.setattr(pwd, "getpwuid", lambda _: {}["nobody"])
    with pytest.raises(StorageError) as caught:
        Paths.find({})
    assert caught.value.fault == "homeless"


def test_a_text_that_is_set_aside_can_be_put_back_once(tmp_path: Path) -> None:
    work = Work(tmp_path)
    assert work.put_back("add") is None
    work.save("add", "right\n")
    work.set_aside("add", "right\n")
    work.save("add", "broken\n")
    assert work.exercises() == ["add"], "what is set aside is no exercise"
    assert work.put_back("add") == "right\n" == work.read("add")
    work.save("add", "better\n")
    assert work.put_back("add") is None and work.read("add") == "better\n"


def test_what_is_set_aside_does_not_outlive_a_reset(work: Work) -> None:
    exercise = load_course().exercise("vector_add")
    work.save(exercise.id, "right\n")
    work.set_aside(exercise.id, "right\n")
    work.save(exercise.id, "broken\n")
    work.reset(exercise)
    assert work.put_back(exercise.id) is None
    assert "right\n" in [version.read() for version in work.versions(exercise.id)]
