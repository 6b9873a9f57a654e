"""Other programs at the learner's file: what they write is taken in, what they break is told, and nothing is lost."""

import threading
from pathlib import Path

import pytest
from driving import Driver, opened, work_file

from tritontui.course.storage import StorageError
from tritontui.course.work import Work
from tritontui.ui.learner.disk import FolderWatch
from tritontui.ui.screens.sheet import Sheet
from tritontui.ui.screens.versions import Versions


def told(driver: Driver) -> str:
    """What the notifications say."""
    return "\n".join(notification.message for notification in driver.app._notifications)


async def written(driver: Driver, text: str = "# mine\n") -> None:
    """A text of the learner's own is in the file."""
    await driver.go("write-it")
    await driver.set_text(text)
    await driver.pilot.pause()
    driver.app.study.saver.flush()
    await driver.saved()


async def look(driver: Driver) -> None:
    await driver.workspace.look_at_disk()
    await driver.pilot.pause()


def replace_file(path: Path, text: str) -> None:
    """As vim does: a new file takes the name of the old one."""
    new = path.with_name("4913")
    new.write_text(text)
    new.replace(path)


async def test_a_file_that_was_replaced_is_taken_in_by_itself(home: Path) -> None:
    async with opened() as driver:
        await written(driver)
        replace_file(work_file(home), "# theirs\n")
        await driver.until(lambda: driver.workspace.editor.text == "# theirs\n")
        assert "changed by another program" in told(driver)
        await driver.press("ctrl+z")
        assert driver.workspace.editor.text == "# mine\n"


async def test_what_was_typed_and_saved_during_a_look_is_not_taken_back(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = Work.read

    async with opened() as driver:
        await written(driver)

        async def type_and_save() -> None:
            driver.workspace.editor.insert("x", (0, 0))
            await driver.pilot.pause()
            driver.app.study.saver.flush()

        def slow(work: Work, exercise: str) -> str | None:
            text = read(work, exercise)
            if threading.current_thread() is not threading.main_thread():  # a look; a save reads, too
                driver.app.call_from_thread(type_and_save)
            return text

        monkeypatch.setattr(Work, "read", slow)
        replace_file(work_file(home), "# older\n")
        await look(driver)
        monkeypatch.undo()
        await look(driver)
        assert driver.workspace.editor.text.endswith("x# mine\n")
        assert work_file(home).read_text() == driver.workspace.editor.text


async def test_a_deleted_file_is_told_and_written_again(home: Path) -> None:
    async with opened() as driver:
        await written(driver)
        work_file(home).unlink()
        await look(driver)
        await look(driver)
        assert told(driver).count("deleted") == 1
        assert driver.workspace.editor.text == "# mine\n"
        assert "not saved" in driver.line("#editor-title")
        driver.workspace.keep_text()
        assert work_file(home).read_text() == "# mine\n"
        await driver.pilot.pause()
        assert "not saved" not in driver.line("#editor-title")
        work_file(home).unlink()
        await look(driver)
        await driver.go("what-the-run-shows")
        assert work_file(home).read_text() == "# mine\n", "going to another step saves it too"


async def test_a_deleted_file_may_come_back(home: Path) -> None:
    async with opened(language="it") as driver:
        await written(driver)
        work_file(home).unlink()
        await look(driver)
        assert "cancellato" in told(driver)
        work_file(home).write_text("# theirs\n")
        await look(driver)
        assert driver.workspace.editor.text == "# theirs\n"
        assert "non salvato" not in driver.line("#editor-title")


async def test_a_folder_in_its_place_is_told_and_leaving_asks(home: Path) -> None:
    async with opened() as driver:
        await written(driver)
        work_file(home).unlink()
        work_file(home).mkdir()
        await look(driver)
        await look(driver)
        assert told(driver).count("can't be read any more") == 1
        assert "A folder stands where" in driver.line("#title")
        assert driver.workspace.editor.text == "# mine\n"
        await driver.press("ctrl+q")
        assert isinstance(driver.app.screen, Sheet), "leaving would lose the text"
        await driver.press("enter")
        assert driver.app.is_running and driver.app.screen is driver.workspace
        work_file(home).rmdir()
        await driver.press("ctrl+q")
        assert work_file(home).read_text() == "# mine\n"
    assert driver.app.return_code == 0


async def test_a_file_that_cannot_be_read_is_never_written_over(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work_file(home).parent.mkdir(parents=True)
    work_file(home).write_text("# secret\n")
    read = Work.read

    def denied(work: Work, exercise: str) -> str | None:
        raise StorageError.from_os(PermissionError(13, "Permission denied"), work.path(exercise), reading=True)

    monkeypatch.setattr(Work, "read", denied)
    async with opened() as driver:
        await driver.go("write-it")
        assert "can't be read: Permission denied" in driver.line("#title")
        await driver.type("x")
        driver.workspace.keep_text()
        assert work_file(home).read_text() == "# secret\n"
        monkeypatch.setattr(Work, "read", read)
        await look(driver)
        assert driver.workspace.editor.text == "# secret\n"
        await driver.type("x")
        assert driver.workspace.editor.text.startswith("x")


async def test_both_texts_survive_when_two_write_at_once(home: Path) -> None:
    async with opened() as driver:
        await written(driver)
        driver.app.study.saver.edited("vector_add", "# typed\n")
        work_file(home).write_text("# theirs\n")
        driver.app.study.saver.flush()
        await driver.pilot.pause()
        assert work_file(home).read_text() == "# typed\n"
        assert "# theirs\n" in [version.read() for version in driver.app.study.work.versions("vector_add")]
        assert "versions/vector_add" in told(driver)


def test_a_watch_tells_of_a_change_and_ends(tmp_path: Path) -> None:
    changed = threading.Event()
    watch = FolderWatch(tmp_path, changed.set)
    watch.start()
    for number in range(100):  # it may not be looking yet
        (tmp_path / "x.py").write_text(str(number))
        if changed.wait(0.3):
            break
    assert changed.is_set()
    watch.stop()


def test_a_watch_of_a_folder_that_is_not_there_gives_up(tmp_path: Path) -> None:
    watch = FolderWatch(tmp_path / "nowhere", lambda: None)
    watch.start()
    watch._thread.join(10)
    assert not watch._thread.is_alive()


async def test_an_earlier_version_is_looked_at_and_put_back_and_undo_works(home: Path) -> None:
    async with opened() as driver:
        await written(driver, "# first\n")
        driver.app.study.work.keep("vector_add")
        await driver.set_text("# second\n")
        await driver.workspace.run_action("versions")
        await driver.pilot.pause()
        sheet = driver.app.screen
        assert isinstance(sheet, Versions)
        assert "− # second" in sheet.difference.plain and "+ # first" in sheet.difference.plain
        await driver.press("enter")
        assert driver.workspace.editor.text == "# first\n"
        await driver.press("ctrl+z")
        assert driver.workspace.editor.text == "# second\n"


async def test_without_an_earlier_version_it_says_so(home: Path) -> None:
    async with opened() as driver:
        await driver.go("write-it")
        await driver.workspace.run_action("versions")
        await driver.pilot.pause()
        assert not isinstance(driver.app.screen, Versions) and "no earlier versions" in told(driver)
