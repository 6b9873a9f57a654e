"""The learner's text: what the editor holds, what is on the disk, and every way from one to the other."""

from __future__ import annotations

import asyncio
import os
import shlex

from textual.app import SuspendNotSupported

from tritontui.course.model import ExerciseFolder
from tritontui.course.storage import StorageError
from tritontui.course.work import Stamp
from tritontui.i18n import N_
from tritontui.keys.file import Keys
from tritontui.ui.learner.disk import FolderWatch
from tritontui.ui.learner.saver import Saved
from tritontui.ui.learner.study import Study
from tritontui.ui.runs.controller import Controller
from tritontui.ui.screens.lines import LinesScreen
from tritontui.ui.terminal.job import run_in_terminal
from tritontui.ui.textual_compat.keys import caught_up
from tritontui.ui.widgets.knob_bar import KnobBar

DISK_CHECK_S = 1.0
"""What no watch sees: an NFS server tells nobody of what its other clients write."""


class TextScreen(LinesScreen):
    """Saves what is typed, and takes in what other editors write."""

    def __init__(self, study: Study, controller: Controller, keys: Keys) -> None:
        super().__init__(study, controller, keys)
        self._disk_watch: FolderWatch | None = None
        self._stamp: Stamp | None = None
        """Of the file as it was last read or written."""
        self._unread = False
        """The file is there and can't be read: nothing is typed over it."""
        self._only_here = False
        """The file that held the text is gone, or can't be read any more."""
        self._loaded: ExerciseFolder | None = None
        """Whose text the editor holds."""
        self._told = ""
        """The text that the editor was last known to hold."""

    def read_text(self) -> str:
        """What the file of the exercise holds, and the stamp it has from now on; failures are told."""
        exercise = self.study.exercise
        self._unread = self._only_here = False
        if exercise is None:
            return ""
        try:
            self._stamp = self.study.work.stamp(exercise.id)
            return self.study.text(exercise)
        except StorageError as error:
            self._unread = True
            self.write_failed(error)
            return ""

    def load_text(self) -> None:
        """The text of the exercise to the editor."""
        self.study.saver.flush()  # so that a kernel left a moment ago is read as it was left
        self._loaded = self.study.exercise
        self.editor.load(self.read_text())
        self._told = self.editor.text
        self.open_editor()

    def open_editor(self) -> None:
        """Let the learner type, if there is something to be typed into."""
        exercise = self.study.exercise
        self.editor.read_only = exercise is None or self.study.closed(exercise) or self._unread

    def open_text(self) -> None:
        """The text of the exercise to the editor, unless it is there already, and to the judges."""
        exercise = self.study.exercise
        if exercise is None or exercise != self._loaded or self._unread:
            self.load_text()
        self.controller.open(exercise, self.editor.text, sealed=self.study.seal(exercise))
        self.show_knobs()

    def show_knobs(self) -> None:
        """Those of the exercise, from the step on that brings it."""
        exercise = self.study.exercise
        turned = exercise is not None and not self.study.desk.ahead and not self.study.seal(exercise)
        knobs = exercise.knobs if exercise is not None and turned else ()
        self.query_one(KnobBar).show(knobs, self.controller.knobs)

    def on_code_area_edited(self) -> None:
        exercise = self.study.exercise
        if exercise is not None:
            self._told = self.editor.text
            self.study.saver.edited(exercise.id, self._told)
            if self.furnished:
                self.controller.edited(self._told)
            self._show_editor_title()

    async def typed(self) -> None:
        """Return when the keys pressed before now are in the editor: a command of the application overtakes them."""
        await caught_up(self.editor)

    def keep_text(self) -> None:
        """Save what stands in the editor, on this thread: a key may be drawn before word of it comes here."""
        exercise = self.study.exercise
        text = self.editor.text
        if exercise is not None and not self._unread and (self._only_here or text != self._told):
            self._told = text
            self.study.saver.edited(exercise.id, text)
        self.study.saver.flush()

    # ------------------------------------------------------------ saving

    def action_save(self) -> None:
        """Save now."""
        self.run_worker(asyncio.to_thread(self.study.saver.flush), exit_on_error=False)

    def before_run(self) -> None:
        """A run begins: what it judges is on the disk."""
        if self.study.saver.pending:
            self.action_save()

    def saved(self, saved: Saved) -> None:
        """A save has ended."""
        exercise = self.study.exercise
        if exercise is not None and saved.exercise == exercise.id and saved.error is None:
            self._stamp = saved.stamp
            self._only_here = False
            if saved.replaced:
                self._tell(N_("Another program had changed {file} while you typed: its text is kept in {place}."))
        self._set_trouble(self._in_short(saved.error) if saved.error else "")

    def write_failed(self, error: StorageError) -> None:
        """Something else could not be read or written."""
        self._set_trouble(self._in_short(error))

    def _in_short(self, error: StorageError) -> str:
        """For one line: the name of the file without its folders."""
        return self.tr(error.message, **error.values | {"path": error.path.name})

    def _set_trouble(self, words: str) -> None:
        self._trouble = words
        self._show_title()
        self._show_editor_title()

    async def ask_to_leave(self, error: StorageError) -> None:
        """The text can't be saved: leave only if the learner says so."""
        from tritontui.ui.screens.sheet import Sheet
        from tritontui.ui.views.sheets import question_blocks

        question = self.tr(
            "Your text can't be saved. {reason} If you leave now, what isn't saved is lost.",
            reason=self.tr(error.message, **error.values),
        )
        blocks = list(question_blocks(question, self.tr("Leave without it"), self.tr("Stay")))

        def leave(yes: object | None) -> None:
            if yes is True:
                self.app.exit()

        await self.app.push_screen(Sheet(self.tr("Leave"), blocks), leave)

    # ------------------------------------------------------------ other editors

    async def action_external_editor(self) -> None:
        """The file in $VISUAL or $EDITOR, the workspace waiting behind it."""
        exercise = self.study.exercise
        command = os.environ.get("VISUAL") or os.environ.get("EDITOR")
        if exercise is None or not command:
            words = self.tr("This lesson has no exercise.") if exercise is None else self.tr("$EDITOR is not set.")
            self.notify(words)
            return
        await self.controller.pause()
        self.study.saver.edited(exercise.id, self.editor.text)
        await asyncio.to_thread(self.study.saver.flush)  # or it would write over what the other editor saves
        path = self.study.work.path(exercise.id)
        try:
            with self.app.suspend():
                status = run_in_terminal([*shlex.split(command), str(path)])
        except (OSError, ValueError, SuspendNotSupported) as error:
            words = self.tr("{command} could not be started: {error}", command=command, error=error)
            self.notify(words)
        else:
            if status != 0:
                words = self.tr("{command} ended with status {status}.", command=command, status=status)
                self.notify(words, severity="warning")
        self.triton.redraw()
        await self.look_at_disk()
        self.controller.resume()

    def watch_disk(self) -> None:
        """From now on, notice what others write: at once where the system tells, else once a second."""
        self._disk_watch = FolderWatch(self.study.work.folder, self._folder_changed)
        self._disk_watch.start()
        self.set_interval(DISK_CHECK_S, self.look_at_disk)

    def on_unmount(self) -> None:
        if self._disk_watch is not None:
            self._disk_watch.stop()

    def _folder_changed(self) -> None:
        if self.triton.listens:
            self.call_later(self.look_at_disk)

    async def look_at_disk(self) -> None:
        """Another program may have changed the file: take its text in; undo brings back what was here."""
        exercise = self.study.exercise
        if exercise is None or not self.furnished or not self._settled(self._told):
            return
        told = self._told
        try:
            stamp = await asyncio.to_thread(self.study.work.stamp, exercise.id)
            same = stamp == self._stamp and not self._unread
            if same or not self.triton.listens or not self._settled(told) or exercise != self.study.exercise:
                return
            text = None if stamp is None else await asyncio.to_thread(self.study.work.read, exercise.id)
        except StorageError as error:
            self._lost_sight(error)
            return
        if exercise != self.study.exercise or not self._settled(told):
            return
        if text is not None and self._unread:
            self.open_text()
            self._set_trouble("")
        elif text is not None:
            self._take_in(stamp, text)
        elif self._stamp is not None and not self._only_here:
            self._only_here = True
            self._set_trouble(self.tr("{file} is not on the disk", file=f"{exercise.id}.py"))
            self._tell(N_("{file} was deleted by another program. Your text is here: an edit, or leaving, saves it."))

    def _settled(self, told: str) -> bool:
        """Whether the editor holds this text, and the disk is to have it: while somebody types, what is read from
        the disk may be what was saved a moment ago, and must not take the newest characters back."""
        return not self.study.saver.pending and self._told == told == self.editor.text

    def _take_in(self, stamp: Stamp | None, text: str) -> None:
        self._stamp = stamp
        self._only_here = False
        self._set_trouble("")
        if text != self.editor.text:
            self.editor.replace_text(text)
            self._tell(N_("{file} was changed by another program: this is its text now."))

    def _lost_sight(self, error: StorageError) -> None:
        """What is on the disk can't be read any more."""
        if not self._only_here and not self._unread:
            self._only_here = True
            self.write_failed(error)
            self._tell(N_("{file} can't be read any more. Your text is here, and not on the disk."))

    def _tell(self, words: str) -> None:
        """Say something about the file of the exercise; ``words`` are marked for the catalogue."""
        exercise = self.study.exercise
        if exercise is not None:
            place = f"versions/{exercise.id}"
            self.notify(self.tr(words, file=f"{exercise.id}.py", place=place))

    # ------------------------------------------------------------ the starter, and earlier texts

    async def action_reset(self) -> None:
        """The starter again, after a question; undo brings the learner's text back."""
        from tritontui.ui.screens.sheet import Sheet
        from tritontui.ui.views.sheets import question_blocks

        exercise = self.study.exercise
        if exercise is None:
            self.notify(self.tr("This lesson has no exercise."))
            return

        def replace(yes: object | None) -> None:
            if yes is True:
                self._replace(exercise, exercise.starter.read_text(encoding="utf-8"))

        question = self.tr(
            "Put the starter in the place of your text? Undo ({key}) brings your text back.", key=self.key_of("undo")
        )
        blocks = list(question_blocks(question, self.tr("Put the starter back"), self.tr("Keep my text")))
        await self.app.push_screen(Sheet(self.tr("Start over"), blocks), replace)

    async def action_versions(self) -> None:
        """Earlier texts of the exercise, to look at or to put back; undo brings the present one back."""
        from tritontui.ui.learner.versions import Earlier, earlier
        from tritontui.ui.screens.versions import Versions

        exercise = self.study.exercise
        if exercise is None:
            self.notify(self.tr("This lesson has no exercise."))
            return
        now = self.editor.text
        versions = await asyncio.to_thread(earlier, self.study.work, exercise.id, now)
        if not versions:
            self.notify(self.tr("There are no earlier versions yet: one is kept every two minutes while you write."))
            return

        def put_back(version: Earlier | None) -> None:
            if version is not None and exercise == self.study.exercise and not self.editor.read_only:
                self._replace(exercise, version.text)

        await self.app.push_screen(Versions(versions, now), put_back)

    def _replace(self, exercise: ExerciseFolder, text: str) -> None:
        """Put ``text`` in the place of the learner's, which is kept as a version, and in the editor's undo."""
        self.keep_text()
        self.study.keep_version(exercise)
        self.editor.replace_text(text)
        self.show_pane("editor")
