"""When the disk or the engine doesn't play along: said in words, nothing lost, the application goes on."""

import asyncio
import os
import threading
from pathlib import Path

import pytest
from driving import opened, work_file
from fake_engine import FakeEngine

from tritontui.course.storage import StorageError
from tritontui.course.work import Work


async def test_a_full_disk_is_said_until_it_isn_t(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full = True
    save = Work.save

    def refusing(work: Work, exercise: str, text: str) -> bool:
        if full:
            raise StorageError("full", work.path(exercise))
        return save(work, exercise, text)

    monkeypatch.setattr(Work, "save", refusing)
    async with opened() as driver:
        await driver.go("write-it")
        await driver.set_text("# mine\n")
        await driver.until(lambda: "no room left" in driver.line("#title"))
        assert "not saved" in driver.line("#editor-title")
        full = False
        await driver.type("x")
        await driver.saved()
        await driver.until(lambda: "no room left" not in driver.line("#title"))
        assert "saved" in driver.line("#editor-title")
        assert work_file(home).read_text() == "x# mine\n"


async def test_a_damaged_progress_file_is_told_and_all_goes_on(home: Path) -> None:
    progress = home / "data" / "progress.sqlite"
    progress.parent.mkdir()
    progress.write_bytes(b"no database" * 500)
    async with opened(engine=FakeEngine()) as driver:
        told = [notification.message for notification in driver.app._notifications]
        assert any("progress.sqlite.aside-1" in message for message in told)
        driver.app.study.mark_done()
    assert progress.read_bytes().startswith(b"SQLite format 3")
    assert progress.with_name("progress.sqlite.aside-1").read_bytes() == b"no database" * 500


async def test_an_engine_that_can_t_start_is_said_and_the_rest_works(
    home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    broken = tmp_path / "torch.py"
    broken.write_text("raise ImportError('libtorch is not for this machine')\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    async with opened(engine="own") as driver:
        await driver.go("write-it")
        await driver.until(lambda: driver.app.engine.status.cpu == "failed")
        await driver.until(lambda: "failed" in driver.line("#title"))
        await driver.set_text("# mine\n")
        await driver.until(lambda: driver.app.controller.view.verdict == "error")
        await driver.saved()
        assert work_file(home).read_text() == "# mine\n"
        await driver.press("ctrl+n")
        assert driver.app.study.step.id == "what-the-run-shows"


async def test_a_disk_that_takes_its_time_holds_up_no_key(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writes, may_end = threading.Event(), threading.Event()
    fsync = os.fsync

    def slow(descriptor: int) -> None:
        writes.set()
        may_end.wait(60)
        fsync(descriptor)

    async with opened(engine=FakeEngine()) as driver:
        await driver.go("write-it")
        monkeypatch.setattr(os, "fsync", slow)
        await driver.type("ab")
        assert await asyncio.to_thread(writes.wait, 20)
        await driver.type("cd")
        assert driver.workspace.editor.text.startswith("abcd")
        assert not work_file(home).exists()
        may_end.set()
        await driver.saved()
        assert work_file(home).read_text().startswith("abcd")


async def test_two_sessions_of_one_learner_lose_nothing(home: Path) -> None:
    async with opened(engine=FakeEngine()) as first, opened(engine=FakeEngine()) as second:
        await first.go("write-it")
        await second.go("write-it")
        await first.set_text("# first\n")
        await first.saved()
        await second.until(lambda: second.workspace.editor.text == "# first\n")
        first.app.study.mark_done()
        second.app.study.record_answer("programs", "4", True)
        for driver in (first, second):
            await asyncio.to_thread(driver.app.study.close)
        progress = second.app.study.progress
        assert "write-it" in progress.done("05-vector-addition")
