import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tritontui.engine import scratch
from tritontui.engine.scratch import Scratch


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(scratch.tempfile, "tempdir", str(tmp_path))
    return tmp_path


def aged(path):
    os.utime(path, (0, 0))
    return path


def test_it_is_its_owners_alone_and_goes_with_its_end(folder):
    made = Scratch()
    assert stat.S_IMODE(made.path.stat().st_mode) == 0o700
    (made.path / "file").touch()
    made.close()
    assert list(folder.iterdir()) == []


def test_it_goes_with_a_process_that_is_killed(folder):
    text = "from tritontui.engine.scratch import Scratch; made = Scratch(); print(made.path, flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", text],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(folder)},
    ) as owner:
        made = Path(owner.stdout.readline().decode().strip())
        assert made.is_dir()
        owner.kill()
    deadline = time.monotonic() + 20
    while made.exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert list(folder.iterdir()) == []


def test_only_what_nobody_uses_any_more_is_removed(folder):
    made = used, young, killed, mine = [Scratch() for _ in range(4)]
    for each in (young, killed):
        os.close(each._lock)  # as a process that is killed lets go of it, should its keeper have been killed, too
        each._lock = None
    (killed.path / "file").touch()
    for each in (used, killed):
        aged(each.path)
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "precious").touch()
    link = folder / "tritontui-engine-link"
    link.symlink_to(elsewhere)
    os.utime(link, (0, 0), follow_symlinks=False)
    other = folder / "tritontui-course"
    other.mkdir()
    aged(other)
    mine.remove_abandoned()
    assert not killed.path.exists()
    assert all(path.exists() for path in (used.path, young.path, mine.path, elsewhere / "precious", link, other))
    for each in made:
        each.close()
