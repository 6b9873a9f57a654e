"""A script under the tracer: run when it is opened and again, stopped, and looked into launch by launch."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from textual.app import SuspendNotSupported

from tritontui.keys.commands import COMMANDS, IN_TRACE, Command
from tritontui.ui.app import Script
from tritontui.ui.bindings import command_bindings
from tritontui.ui.learner.disk import FolderWatch
from tritontui.ui.messages import GoToLine, OtherLaunch, ShowOnMap
from tritontui.ui.screens.launch_panes import LaunchPanes
from tritontui.ui.textual_compat.bindings import give_bindings
from tritontui.ui.views.trace_words import grid_words
from tritontui.ui.widgets.editor import EditorPane
from tritontui.ui.widgets.launches import LaunchList
from tritontui.ui.widgets.tab_line import TabLine

if TYPE_CHECKING:
    from tritontui.ui.commands import Offer

DISK_CHECK_S = 1.0
"""What no watch sees, and how often the words about a running script change."""

Stamps = dict[Path, tuple[int, int, int] | None]
"""Of files: when written (ns), length, inode; None where there is none."""


class TraceScreen(LaunchPanes):
    """Runs the script when it is opened and whenever a file that it is made of changes.

    Messages are handled by name.
    """

    def __init__(self, script: Script) -> None:
        super().__init__(script)
        give_bindings(self, command_bindings(self.triton.keys, *IN_TRACE))
        self._stamps: Stamps = {}
        self._watch = FolderWatch(script.path.parent, self._folder_changed)

    def on_mount(self) -> None:
        editing = command_bindings(self.triton.keys, "editor")
        give_bindings(self.editor, editing, [command.id for command in COMMANDS if command.scope == "editor"])
        self.query_one(EditorPane).learn()
        self.load_source()
        self.show_pane(self.pane)
        self._note_files()  # before it runs: what changes meanwhile is seen
        self._watch.start()
        self.set_interval(DISK_CHECK_S, self._tick)
        self.call_after_refresh(lambda: self.run_worker(self._begin()))

    async def _begin(self) -> None:
        await self.prepare()
        self.tracer.run()

    async def prepare(self) -> None:
        """Hook: what must be there before a script can be run."""

    def load_source(self) -> None:
        """Hook: the source to the editor, as the screen opens."""
        self.editor.read_only = True
        self.show_file(self.script)

    async def on_unmount(self) -> None:
        self._watch.stop()
        await self.tracer.close()

    def _tick(self) -> None:
        self.look_at_disk()
        if self.tracer.running:
            self.tracer.refresh()

    def trace_changed(self) -> None:
        if not self.tracer.running:
            self._note_files()
        super().trace_changed()

    # ------------------------------------------------------------ the disk

    def _note_files(self) -> None:
        """The files that this run was made of, as they are now."""
        trace = self.tracer.trace
        files = {self.script}
        if trace is not None:
            files |= {Path(one.file) for one in trace.launches if one.file}
            files |= set(map(Path, trace.done.files if trace.done is not None else ()))
        self._stamps |= _stamps(files - self._stamps.keys())

    def _folder_changed(self) -> None:
        if self.triton.listens:
            self.app.call_from_thread(self.look_at_disk)

    def look_at_disk(self) -> None:
        """Run the script again when one of its files is another by now."""
        files = self._stamps.keys() or {self.script}
        now = _stamps(files)
        changed = [file for file, stamp in now.items() if self._stamps.get(file, stamp) != stamp]
        self._stamps |= now
        if changed:
            self.files_changed(changed)

    def files_changed(self, files: Sequence[Path]) -> None:
        """Other programs have written these files of the script, or removed them."""
        if self._stamps.get(self.script, ()) is None:
            self.tracer.orphan()
            return
        if self._file in files and self._file is not None:
            self.show_file(self._file, again=True)
        self.tracer.run()

    # ------------------------------------------------------------ what the learner does

    def action_run(self) -> None:
        """Run it again."""
        self.tracer.run()

    def action_stop(self) -> None:
        """End the run."""
        self.tracer.stop()

    def action_step(self, step: int) -> None:
        """Another launch, from wherever the focus is."""
        trace = self.tracer.trace
        numbers: list[int | None] = [None, *(one.launch for one in trace.launches)] if trace is not None else [None]
        index = numbers.index(self.chosen) + step
        if 0 <= index < len(numbers):
            self.choose(numbers[index])

    def on_other_launch(self, event: OtherLaunch) -> None:
        self.action_step(event.step)

    def on_launch_list_chosen(self, event: LaunchList.Chosen) -> None:
        self.choose(event.launch)

    def on_launch_list_opened(self) -> None:
        self.action_show_result("findings")

    def on_launch_list_stop_asked(self) -> None:
        self.action_stop()

    def on_go_to_line(self, event: GoToLine) -> None:
        launch = self.launch
        file = event.file or (launch.file if launch is not None else "") or str(self.script)
        self.go_to(Path(file), event.line, event.column)

    def go_to(self, file: Path, line: int, column: int | None) -> None:
        """A line of the source, whichever file it is in."""
        self.show_file(file)
        self.show_marks()
        self.show_pane("editor")
        self.editor.goto(line, column)

    def on_show_on_map(self, event: ShowOnMap) -> None:
        self.map.select(event.program, event.lane, event.line)
        self.action_show_result("map")

    def action_show_result(self, name: str) -> None:
        """To that one of the results."""
        self.results.pick(name)
        self.show_pane("results")

    def on_results_pane_turned(self) -> None:
        self.panes_changed()
        self.on_text_area_selection_changed()
        self.on_source_line()

    def on_text_area_selection_changed(self) -> None:
        """The editor's cursor has moved: the compiler's listing follows."""
        if self.results.active == "compiler":
            self.compiler.follow(self.editor.cursor_location[0] + 1)

    def on_source_line(self) -> None:
        """The editor points at the line where the visible result stands."""
        launch = self.launch
        is_there = launch is None or not launch.file or Path(launch.file) == self._file
        self.editor.point_at(getattr(self.results.shown, "source_line", None) if is_there else None)

    def on_tab_line_picked(self, event: TabLine.Picked) -> None:
        if event.tab in self.panes:
            self.show_pane(next(pane for pane in self.panes if pane == event.tab))

    def action_external_editor(self) -> None:
        """The file in view in $VISUAL or $EDITOR, this screen waiting behind it."""
        command = os.environ.get("VISUAL") or os.environ.get("EDITOR")
        if not command:
            self.notify(self.tr("$EDITOR is not set."))
            return
        try:
            with self.app.suspend():
                subprocess.run([*shlex.split(command), str(self._file or self.script)], check=False)
        except (OSError, SuspendNotSupported) as error:
            self.notify(self.tr("{command} could not be started: {error}", command=command, error=error))
        self.triton.redraw()
        self.look_at_disk()

    async def action_palette(self) -> None:
        """Every command and every launch by name."""
        from tritontui.ui.commands import Offer, command_offers
        from tritontui.ui.screens.palette import Palette

        async def do(offer: Offer | None) -> None:
            if offer is not None:
                await self._perform(offer)

        trace = self.tracer.trace
        every = list(command_offers(IN_TRACE, self.triton.keys, self.tr, *self.own_commands))
        for one in trace.launches if trace is not None else ():
            words = self.tr(
                "launch {number}: {kernel}, grid {grid}",
                number=one.launch,
                kernel=one.kernel,
                grid=grid_words(one.grid),
            )
            every.append(Offer(words, "", one.launch))
        await self.app.push_screen(Palette(every, searches=False), do)

    async def _perform(self, offer: Offer) -> None:
        match offer.does:
            case int(launch):
                self.choose(launch)
            case Command(scope="editor", action=action):
                self.set_focus(self.editor)
                await self.app.run_action(action, self.editor)
            case Command(id=id) if id in self.own_commands:
                await self.perform_own(id)
            case Command(action=action):
                await self.run_action(action)

    async def perform_own(self, command: str) -> None:
        """Hook: one of ``own_commands``, chosen by name."""

    async def action_help(self) -> None:
        """The keys that work here."""
        from tritontui.ui.screens.sheet import Sheet
        from tritontui.ui.views.sheets import help_blocks

        blocks = list(help_blocks(self.place, IN_TRACE, self.triton.keys, self.tr, self.own_commands))
        await self.app.push_screen(Sheet(self.tr("Keys"), blocks))


def _stamps(files: Iterable[Path]) -> Stamps:
    found: Stamps = {}
    for file in files:
        try:
            status = file.stat()
        except OSError:
            found[file] = None
        else:
            found[file] = (status.st_mtime_ns, status.st_size, status.st_ino)
    return found
