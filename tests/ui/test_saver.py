"""Autosave: on its own thread, half a second after the last key, and nothing lost when the disk refuses."""

import contextlib
import queue
import threading
from pathlib import Path

import pytest

from tritontui.course.storage import StorageError
from tritontui.course.work import Work
from tritontui.ui.learner import saver as saver_module
from tritontui.ui.learner.saver import Saved, Saver


def test_saves_by_itself_on_another_thread(tmp_path: Path) -> None:
    reports: queue.Queue[tuple[Saved, str]] = queue.Queue()
    saver = Saver(Work(tmp_path), lambda saved: reports.put((saved, threading.current_thread().name)), delay=0.01)
    saver.edited("vector_add", "one\n")
    saver.edited("vector_add", "two\n")
    saved, thread = reports.get(timeout=5)
    assert thread == "saver" and saved.error is None
    assert (tmp_path / "vector_add.py").read_text() == "two\n"
    assert saved.stamp == Work(tmp_path).stamp("vector_add")
    assert not saver.pending
    saver.close()


def test_typing_without_a_pause_is_saved_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saver_module, "LONGEST_S", 0.2)
    reports: queue.Queue[Saved] = queue.Queue()
    saver = Saver(Work(tmp_path), reports.put, delay=0.1)
    for number in range(1000):  # a key each hundredth of a second
        saver.edited("vector_add", f"{number}\n")
        with contextlib.suppress(queue.Empty):
            assert reports.get(timeout=0.01).error is None
            break
    assert int((tmp_path / "vector_add.py").read_text()) < 999
    saver.close()


def test_flush_and_close_save_at_once(tmp_path: Path) -> None:
    reports: list[Saved] = []
    saver = Saver(Work(tmp_path), reports.append, delay=3600)
    saver.edited("vector_add", "one\n")
    saver.flush()
    assert (tmp_path / "vector_add.py").read_text() == "one\n"
    saver.edited("vector_add", "two\n")
    saver.edited("other", "three\n")
    saver.close()
    assert (tmp_path / "vector_add.py").read_text() == "two\n"
    assert (tmp_path / "other.py").read_text() == "three\n"
    assert len(reports) == 3


class FullDisk(Work):
    """Refuses until ``room``."""

    room = False

    def save(self, exercise: str, text: str) -> bool:
        if not self.room:
            raise StorageError("full", self.path(exercise))
        return super().save(exercise, text)


def test_a_text_that_could_not_be_saved_stays_pending(tmp_path: Path) -> None:
    work = FullDisk(tmp_path)
    reports: list[Saved] = []
    saver = Saver(work, reports.append, delay=3600)
    saver.edited("vector_add", "precious\n")
    saver.flush()
    assert reports[0].error is not None and saver.pending
    work.room = True
    saver.flush()
    assert reports[1].error is None and not saver.pending
    assert (tmp_path / "vector_add.py").read_text() == "precious\n"
    saver.close()
