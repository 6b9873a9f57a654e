"""A script under the tracer: its launches, the source of the chosen one's kernel, and everything known of it."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult, SuspendNotSupported
from textual.content import Content
from textual.widget import Widget

from tritontui.diagnosis import explain
from tritontui.diagnosis.finding import Finding
from tritontui.engine.messages import LaunchSummary
from tritontui.i18n import N_
from tritontui.keys.commands import COMMANDS, IN_TRACE, Command
from tritontui.keys.places import NAMES, OF_RESULTS, key_line
from tritontui.ui.bindings import command_bindings
from tritontui.ui.controller import View
from tritontui.ui.disk import FolderWatch
from tritontui.ui.key_hints import GETTING_ABOUT, Hints, key_hints
from tritontui.ui.layout import TRACE_PANES, Pane
from tritontui.ui.messages import GoToLine, OtherLaunch, ShowOnMap
from tritontui.ui.screens.panes import PanesScreen
from tritontui.ui.speaking import Speaking
from tritontui.ui.status import engine_words, verdict_sign
from tritontui.ui.textual_compat.bindings import give_bindings
from tritontui.ui.trace_words import ending_words, evidence, grid_words, state_words
from tritontui.ui.tracing import Tracer
from tritontui.ui.widgets.access_map import AccessMap
from tritontui.ui.widgets.compiler import CompilerView
from tritontui.ui.widgets.editor import EditorPane, KernelEditor, Mark
from tritontui.ui.widgets.evidence import EvidenceStrip
from tritontui.ui.widgets.key_line import KeyLine
from tritontui.ui.widgets.launch_findings import LaunchFindings
from tritontui.ui.widgets.launches import LaunchList
from tritontui.ui.widgets.one_line import OneLine
from tritontui.ui.widgets.output import ScriptOutput
from tritontui.ui.widgets.results import ResultsPane
from tritontui.ui.widgets.steps import StepsView
from tritontui.ui.widgets.tab_line import Tab, TabLine

if TYPE_CHECKING:
    from tritontui.ui.commands import Offer

DISK_CHECK_S = 1.0
"""What no watch sees, and how often the words about a running script change."""
ACTING: Hints = (("{run}", N_("run again")), ("{previous-step}/{next-step}", N_("launch")))

AT_WORK = frozenset({"ready", "tracing"})
"""Phases of the engine that need no words: the script's state says it."""

Stamps = dict[Path, tuple[int, int, int]]
"""Of files: when written (ns), length, inode."""


class TraceScreen(PanesScreen):
    """Runs the script when it is opened and whenever a file that it is made of changes.

    Messages are handled by name. ``launch``: the one to open at, as soon as it is there.
    """

    panes = TRACE_PANES
    own_commands: ClassVar[tuple[str, ...]] = ()
    """Ids of commands that are there besides those of all screens in which a script is traced."""
    own_hints: ClassVar[Hints] = ()
    """Keys that the bottom line names besides."""

    def __init__(self, path: Path, arguments: Sequence[str] = (), *, launch: int | None = None) -> None:
        super().__init__("launches")
        give_bindings(self, command_bindings(self.triton.keys, *IN_TRACE))
        self.script = path
        self.tracer = Tracer(lambda: self.triton.engine, self.trace_changed, path, arguments)
        self._wanted = launch
        """The launch that is chosen, whether or not this run has it; None: the script as a whole."""
        self._held = launch is not None
        """The learner has chosen; else the first launch with an error is."""
        self._file: Path | None = None
        """Whose text the editor holds."""
        self._shown: tuple[int | None, int | None] | None = None
        """Run and launch whose place in the source was gone to."""
        self._stamps: Stamps = {}
        self._watch = FolderWatch(path.parent, self._folder_changed)
        self.launches = LaunchList(self.script_words, id="launches")
        self.map = AccessMap(id="map")
        self.compiler = CompilerView(id="compiler")
        self.findings = LaunchFindings(str(path), id="findings")
        self.output = ScriptOutput(id="output")
        views: dict[str, Widget] = {
            "findings": self.findings,
            "map": self.map,
            "steps": StepsView(self.map, id="steps"),
            "compiler": self.compiler,
            "output": self.output,
        }
        self.results = ResultsPane(views)

    # ------------------------------------------------------------ the widgets

    def compose_left(self) -> ComposeResult:
        yield self.launches

    def compose_results(self) -> ComposeResult:
        yield self.results

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
        self._show_file(self.script)

    async def on_unmount(self) -> None:
        self._watch.stop()
        await self.tracer.close()

    @property
    def editor(self) -> KernelEditor:
        return self.query_one(EditorPane).editor

    def main_widget(self, pane: Pane) -> Widget | None:
        if pane == "results":
            return self.results.shown
        return self.editor if pane == "editor" else self.launches

    def retranslate(self) -> None:
        for widget in self.query("*"):
            if isinstance(widget, Speaking):
                widget.retranslate()
        self.trace_changed()

    # ------------------------------------------------------------ what is shown

    @property
    def script_words(self) -> str:
        """``softmax.py --rows 8``."""
        return shlex.join([self.script.name, *self.tracer.arguments])

    @property
    def chosen(self) -> int | None:
        """The launch that is shown; None: the script as a whole."""
        trace = self.tracer.trace
        return self._wanted if trace is not None and self._wanted is not None and trace.launch(self._wanted) else None

    @property
    def launch(self) -> LaunchSummary | None:
        """The chosen launch."""
        trace = self.tracer.trace
        return trace.launch(self.chosen) if trace is not None and self.chosen is not None else None

    def trace_changed(self) -> None:
        """The tracer has something new."""
        trace = self.tracer.trace
        if trace is not None and not self.tracer.running:
            self._note_files()
            if self._held and self._wanted is not None and trace.launch(self._wanted) is None and trace.finished:
                self.notify(self.tr("There is no launch {number}.", number=self._wanted))
                self._held = False
        if trace is not None and not self._held:
            self._wanted = self._telling()
        self._show_chosen()

    def _telling(self) -> int | None:
        """The launch to look at first: with an error, else the script where it stopped, else the first."""
        trace = self.tracer.trace
        assert trace is not None
        wrong = (one.launch for one in trace.launches if any(f.severity == "error" for f in trace.about(one.launch)))
        number = next(wrong, None)
        if number is None and not any(finding.severity == "error" for finding in trace.about(None)):
            number = next((one.launch for one in trace.launches), None)
        return number

    def _show_chosen(self) -> None:
        """The chosen launch in every pane."""
        trace = self.tracer.trace
        view = self.view
        self.launches.show(trace, self.chosen, state_words(self.tracer, self.tr))
        self.findings.trace = trace
        self.output.ending = ending_words(trace, self.tr)
        self.results.show(view)
        self.show_source()
        self.panes_changed()

    @property
    def view(self) -> View:
        """The chosen launch as the results show it."""
        return self.tracer.view(self.chosen)

    def show_source(self) -> None:
        """The file of the launch's kernel, marked; gone to its place once for each run and choice."""
        trace, launch = self.tracer.trace, self.launch
        file = Path(launch.file) if launch is not None and launch.file else self.script
        at = (trace.run if trace is not None else None, self.chosen)
        if at != self._shown:
            self._shown = at
            self._show_file(file)
            faults = (finding for finding in self.findings_here(file) if finding.severity != "note")
            line = next((finding.line for finding in faults), launch.kernel_line if launch is not None else None)
            if line:
                self.editor.goto(line)
        self.show_marks()

    def show_marks(self) -> None:
        """The findings of the chosen launch on the lines in view."""
        self.editor.set_marks(self._mark(finding) for finding in self.findings_here(self._file or self.script))

    def findings_here(self, file: Path) -> Iterator[Finding]:
        """Findings of the chosen launch, and of the script as a whole, on lines of ``file``."""
        trace = self.tracer.trace
        about = (
            []
            if trace is None
            else [*trace.about(self.chosen), *(trace.about(None) if self.chosen is not None else ())]
        )
        for finding in about:
            if finding.line is not None and Path(finding.file or self.script) == file:
                yield finding

    def _mark(self, finding: Finding) -> Mark:
        words = explain(finding, self.language).title.replace("`", "")
        return Mark(finding.line or 1, finding.severity, words, finding.column)

    def _show_file(self, file: Path, *, again: bool = False) -> None:
        """Its text to the editor, unless it is there."""
        if file == self._file and not again:
            return
        self._file = file
        try:
            text = file.read_bytes().decode("utf-8", errors="replace")
        except OSError as error:
            text = ""
            self.notify(self.tr("{path} can't be read: {reason}", path=file, reason=error.strerror), markup=False)
        at = self.editor.cursor_location[0] + 1
        self.editor.load(text)
        if again:
            self.editor.goto(at)

    # ------------------------------------------------------------ the lines around the panes

    def panes_changed(self) -> None:
        state, style = state_words(self.tracer, self.tr)
        status = self.triton.engine_status
        engine = "" if status.phase in AT_WORK else engine_words(status, False, self.tr)
        title = self.query_one("#title", TabLine)
        if self.one_at_a_time:
            sign = verdict_sign(self.view)
            names = {
                "launches": self.tr("Launches"),
                "editor": self.tr(NAMES[self._source]),
                "results": self.tr("Results"),
            }
            tabs = tuple(Tab(pane, names[pane], *(sign if pane == "results" else ())) for pane in self.panes)
            title.show(tabs, self.pane, Content.styled(f"{self.place_words} ", "$muted"))
        else:
            aside = Content.assemble((state, style), (f"  {engine}" if engine else "", "$muted"), " ")
            title.show((), "", aside, before=Content.styled(f" {self.place_words}", "bold"))
        self.query_one("#status", OneLine).show(Content.styled(state, style), Content.styled(engine, "$muted"))
        trace = self.tracer.trace
        count = len(trace.launches) + trace.only_counted if trace is not None else 0
        columns = Content.styled(self.tr("grid · findings · time"), "$muted")
        launches = Content(self.tr.plural("{n} launch", "{n} launches", count))
        self.query_one("#launches-title", OneLine).show(self._pane_title("launches", launches), columns)
        name = Content(self._file.name if self._file is not None else "")
        self.query_one("#editor-title", OneLine).show(self._pane_title("editor", name), self.source_words())
        self.query_one(EvidenceStrip).show(*evidence(trace, self.chosen, self.language, self.tr))
        self.query_one(KeyLine).show(self._keys())

    @property
    def place_words(self) -> str:
        """What this is, for the title."""
        return self.tr("trace") + f" · {self.script_words}"

    def source_words(self) -> Content:
        """What is said of the source at the right end of its title."""
        return Content.styled(self.tr("read-only: an edit elsewhere runs it again"), "$muted")

    def _pane_title(self, pane: Pane, text: Content) -> Content:
        focused = self.pane == pane
        return Content.assemble(("▌" if focused else " ", "$primary"), text.stylize("bold") if focused else text)

    def _keys(self) -> Hints:
        place = self._place if self._place in OF_RESULTS | {"launches", "source", "results"} else ""
        own = tuple(hint for hint in (key_line(place) if place else ()) if self.tracer.running or hint[0] != "x")
        order = (*own, GETTING_ABOUT[0], *self.own_hints, *ACTING, *GETTING_ABOUT[1:])
        return key_hints(order, self.triton.keys, self.tr)

    @property
    def _source(self) -> str:
        """What the middle pane is, by its place in the table of keys."""
        return "source" if self.editor.read_only else "editor"

    @property
    def _place(self) -> str:
        """Whose keys count here."""
        if self.pane == "editor":
            return self._source
        if self.pane == "launches":
            return "launches"
        return self.results.active if self.results.active in OF_RESULTS else "results"

    def engine_changed(self) -> None:
        """The engine says something new."""
        self.panes_changed()

    def _tick(self) -> None:
        self.look_at_disk()
        if self.tracer.running:
            self.tracer.refresh()

    # ------------------------------------------------------------ the disk

    def _note_files(self) -> None:
        """The files that this run was made of, as they are now."""
        trace = self.tracer.trace
        files = {self.script, *(Path(one.file) for one in (trace.launches if trace is not None else ()) if one.file)}
        for file in files - self._stamps.keys():
            self._stamps |= _stamps([file])

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
        """Other programs have written these files of the script."""
        if self._file in files and self._file is not None:
            self._show_file(self._file, again=True)
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

    def choose(self, launch: int | None) -> None:
        """Show that launch, and stay with it; None: the script as a whole."""
        self._wanted, self._held = launch, True
        self.map.state.release()
        self._show_chosen()

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
        self._show_file(file)
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
        from tritontui.ui.sheets import help_blocks

        blocks = list(help_blocks(self._place, IN_TRACE, self.triton.keys, self.tr, self.own_commands))
        await self.app.push_screen(Sheet(self.tr("Keys"), blocks))


def _stamps(files: Iterable[Path]) -> Stamps:
    """Of those that are there."""
    found: Stamps = {}
    for file in files:
        try:
            status = file.stat()
        except OSError:
            continue
        found[file] = (status.st_mtime_ns, status.st_size, status.st_ino)
    return found
