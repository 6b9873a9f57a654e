"""The launches of a script, the source of the chosen one's kernel, its results, and the lines around them."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.content import Content
from textual.widget import Widget

from tritontui.diagnosis import explain
from tritontui.diagnosis.finding import Finding
from tritontui.engine.messages import LaunchSummary
from tritontui.engine.script_trace import ScriptTrace
from tritontui.i18n import N_
from tritontui.keys.places import NAMES, OF_RESULTS, key_line
from tritontui.ui.app import Script
from tritontui.ui.layout import TRACE_PANES, Pane
from tritontui.ui.runs.controller import View
from tritontui.ui.runs.tracing import Tracer
from tritontui.ui.screens.panes import PanesScreen
from tritontui.ui.speaking import Speaking
from tritontui.ui.views.key_hints import GETTING_ABOUT, Hints, key_hints
from tritontui.ui.views.status import engine_words, verdict_sign
from tritontui.ui.views.trace_words import ending_words, evidence, state_words
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
    pass

ACTING: Hints = (("{run}", N_("run again")), ("{previous-step}/{next-step}", N_("launch")))

AT_WORK = frozenset({"ready", "tracing"})
"""Phases of the engine that need no words: the script's state says it."""


class LaunchPanes(PanesScreen):
    """Shows what the tracer knows of the chosen launch in every pane."""

    panes = TRACE_PANES
    own_commands: ClassVar[tuple[str, ...]] = ()
    """Ids of commands that are there besides those of all screens in which a script is traced."""
    own_hints: ClassVar[Hints] = ()
    """Keys that the bottom line names besides."""

    def __init__(self, script: Script) -> None:
        super().__init__("launches")
        self.script = script.path
        self.tracer = Tracer(lambda: self.triton.engine, self.trace_changed, script)
        self._wanted = script.launch
        """The launch that is chosen, whether or not this run has it; None: the script as a whole."""
        self._held = script.launch is not None
        """The learner has chosen; else the first launch with an error is."""
        self._file: Path | None = None
        """Whose text the editor holds."""
        self._shown: tuple[int | None, int | None] | None = None
        """Run and launch whose place in the source was gone to."""
        self.launches = LaunchList(self.script_words, id="launches")
        self.map = AccessMap(id="map")
        self.compiler = CompilerView(id="compiler")
        self.findings = LaunchFindings(str(script.path), id="findings")
        self.output = ScriptOutput(id="output")
        views: dict[str, Widget] = {
            "findings": self.findings,
            "map": self.map,
            "steps": StepsView(self.map, id="steps"),
            "compiler": self.compiler,
            "output": self.output,
        }
        self.results = ResultsPane(views)

    def compose_left(self) -> ComposeResult:
        yield self.launches

    def compose_results(self) -> ComposeResult:
        yield self.results

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
        script = self.tracer.script
        return shlex.join([script.entry or script.path.name, *script.arguments])

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
        if trace is None:
            self.show_chosen()
            return
        has_ended = trace.finished and not self.tracer.running
        if has_ended and self._held and self._wanted is not None and trace.launch(self._wanted) is None:
            self.notify(self.tr("There is no launch {number}.", number=self._wanted))
            self._held = False
        if not self._held:
            self._wanted = self._telling(trace)
        self.show_chosen()

    def _telling(self, trace: ScriptTrace) -> int | None:
        """The launch to look at first: with an error, else the script where it stopped, else the first."""
        wrong = (one.launch for one in trace.launches if any(f.severity == "error" for f in trace.about(one.launch)))
        number = next(wrong, None)
        if number is None and not any(finding.severity == "error" for finding in trace.about(None)):
            number = next((one.launch for one in trace.launches), None)
        return number

    def show_chosen(self) -> None:
        """The chosen launch in every pane."""
        trace = self.tracer.trace
        view = self.view
        self.launches.show(trace, self.chosen, state_words(self.tracer, self.tr))
        self.findings.trace = trace
        self.output.ending = ending_words(trace, self.tr)
        self.results.show(view)
        self.show_source()
        self.panes_changed()

    def choose(self, launch: int | None) -> None:
        """Show that launch, and stay with it; None: the script as a whole."""
        self._wanted, self._held = launch, True
        self.map.state.release()
        self.show_chosen()

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
            self.show_file(file)
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
        if trace is None:
            return
        of_the_script = trace.about(None) if self.chosen is not None else []
        for finding in (*trace.about(self.chosen), *of_the_script):
            if finding.line is not None and Path(finding.file or self.script) == file:
                yield finding

    def _mark(self, finding: Finding) -> Mark:
        words = explain(finding, self.language).title.replace("`", "")
        return Mark(finding.line or 1, finding.severity, words, finding.column)

    def show_file(self, file: Path, *, again: bool = False) -> None:
        """Its text to the editor, unless it is there."""
        if file == self._file and not again:
            return
        self._file = file
        try:
            text = file.read_bytes().decode("utf-8", errors="replace")
        except OSError as error:
            text = ""
            self.notify(self.tr("{path} can't be read: {reason}", path=file, reason=error.strerror))
        at = self.editor.cursor_location[0] + 1
        self.editor.load(text)
        if again:
            self.editor.goto(at)

    # ------------------------------------------------------------ the lines around the panes

    def shows_findings(self) -> bool:
        return self.results.shows_findings

    def panes_changed(self) -> None:
        super().panes_changed()
        state, style = state_words(self.tracer, self.tr)
        status = self.triton.engine_status
        engine = "" if status.phase in AT_WORK else engine_words(status, False, self.tr)
        title = self.query_one("#title", TabLine)
        if self.one_at_a_time:
            sign = verdict_sign(self.view)
            names = {
                "launches": self.tr("Launches"),
                "editor": self.tr(NAMES[self.source_place]),
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
        place = self.place if self.place in OF_RESULTS | {"launches", "source", "results"} else ""
        own = tuple(hint for hint in (key_line(place) if place else ()) if self.tracer.running or hint[0] != "x")
        order = (*own, GETTING_ABOUT[0], *self.own_hints, *ACTING, *GETTING_ABOUT[1:])
        return key_hints(order, self.triton.keys, self.tr)

    @property
    def source_place(self) -> str:
        """What the middle pane is, by its place in the table of keys."""
        return "source" if self.editor.read_only else "editor"

    @property
    def place(self) -> str:
        """Whose keys count here."""
        if self.pane == "editor":
            return self.source_place
        if self.pane == "launches":
            return "launches"
        return self.results.active if self.results.active in OF_RESULTS else "results"

    def engine_changed(self) -> None:
        """The engine says something new."""
        self.panes_changed()
