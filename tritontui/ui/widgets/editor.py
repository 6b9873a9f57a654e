"""The editor with the one line under it: what is said about the cursor's line, or the field to search in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Input, Static, TextArea

from tritontui.ui import editing, highlight
from tritontui.ui.bindings import command_bindings
from tritontui.ui.speaking import Speaking
from tritontui.ui.textual_compat.bindings import give_bindings
from tritontui.ui.textual_compat.keys import pass_on, run_own_binding
from tritontui.ui.widgets.code_area import GLYPHS, Mark
from tritontui.ui.widgets.kernel_editor import KernelEditor
from tritontui.ui.widgets.one_line import OneLine

if TYPE_CHECKING:
    from tritontui.ui.completion import Names

__all__ = ["EditorPane", "KernelEditor", "Mark"]

Seek = Callable[[bool, bool], None]
"""Called with whether to go backwards, and whether the present selection may match again."""

_COLOURS = {"error": "$error", "warning": "$warning", "note": "$primary"}


class FindField(Input):
    """Where the text to look for is typed; Enter goes to the next place, up to the one before.

    It calls back at once instead of posting messages, so that the keys of one burst do what they would do singly.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,down", "step(False)", "Next", show=False),
        Binding("up", "step(True)", "Previous", show=False),
        Binding("escape", "leave", "Close", show=False),
    ]

    def __init__(self, value: str, placeholder: str, seek: Seek, leave: Callable[[], None]) -> None:
        super().__init__(value, placeholder, compact=True, select_on_focus=True)
        self.cursor_blink = False
        self._seek = seek
        self._leave = leave

    async def on_key(self, event: events.Key) -> None:
        """Keys that don't type do what they do at once, in the order they came."""
        if not pass_on(self, event) and not event.is_printable:
            await run_own_binding(self, event)

    def watch_value(self) -> None:
        """What is sought has changed: seek from where the selection is."""
        self._seek(False, True)

    def action_paste(self) -> None:
        """Paste the first line of what was cut or copied: the field has only one."""
        lines = editing.clean_paste(self.app.clipboard).split("\n")
        self.replace(lines[0], *self.selection)

    def action_step(self, backwards: bool) -> None:
        """To the next place, or to the one before."""
        self._seek(backwards, False)

    def action_leave(self) -> None:
        """Back to the editor."""
        self._leave()


class FindBar(Horizontal):
    """The field, and before it a sign that says whether the text was found."""

    DEFAULT_CSS = """
    FindBar {
        height: 1; padding: 0 1;
        & > Static { width: 2; color: $accent; text-style: bold; }
        & > FindField { width: 1fr; height: 1; border: none; padding: 0; }
        &.-missing > Static { color: $error; }
    }
    """

    def __init__(self, field: FindField) -> None:
        super().__init__()
        self.field = field
        self._sign = Static("›", markup=False)

    def compose(self) -> ComposeResult:
        yield self._sign
        yield self.field

    def say(self, found: bool) -> None:
        """Found, or not."""
        self.set_class(not found, "-missing")
        self._sign.update("›" if found else "✗")


class EditorPane(Speaking, Vertical):
    """The editor, and one line under it that never moves the text.

    The line shows, first of all that apply: the find field, the mark of the cursor's line, the documentation of the
    name that is offered or under the cursor, the first error. ``pane.editor`` is the ``KernelEditor``.
    """

    DEFAULT_CSS = """
    EditorPane {
        height: 1fr;
        & > OneLine { height: 1; color: $foreground 75%; }
        &.-finding > OneLine { display: none; }
        &:ansi > OneLine { color: $foreground; }
    }
    """

    def __init__(self, text: str = "", *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.editor = KernelEditor(text, find=self.find)
        self._line = OneLine()

    def compose(self) -> ComposeResult:
        yield self.editor
        yield self._line

    def retranslate(self) -> None:
        """The language has changed."""
        self._say()

    # ------------------------------------------------------------ the line

    @work(thread=True, exit_on_error=False)
    def learn(self) -> None:
        """Import Pygments and read Triton's names, on a thread; until then the code is plain and nothing completed."""
        from tritontui.ui.completion import read_names

        highlight.warm_up()
        self.app.call_from_thread(self.editor.colour)
        names = read_names()
        self.app.call_from_thread(self._take_names, names)

    def _take_names(self, names: Names) -> None:
        self.editor.names = names
        self._say()

    @on(KernelEditor.Annotated)
    @on(TextArea.SelectionChanged)
    def _say(self) -> None:
        """Say what there is to say about the place of the cursor."""
        self._line.show(self._words())

    def _words(self) -> Content:
        row = self.editor.cursor_location[0]
        here = self.editor.mark_at(row)
        if here and not self.editor.suggestion:
            return _said(here, here.text)
        if said := self._documentation():
            return said
        worst = self.editor.worst_mark
        if worst is None:
            return Content("")
        return _said(worst[1], self.tr("line {line}: {text}", line=worst[0] + 1, text=worst[1].text))

    def _documentation(self) -> Content | None:
        names = self.editor.names
        name = names.get(self.editor.name_at_cursor) if names else None
        if name is None or not (name.signature or name.summary):
            return None
        # The summary is what a learner needs first where both don't fit.
        signature = Content.styled(name.qualified + name.signature, "$accent")
        summary = Content.assemble("  ", name.summary) if name.summary else Content("")
        whole = Content.assemble(signature, summary)
        if whole.cell_length <= self.size.width - 2 or not name.summary:
            return whole
        return Content.assemble(Content.styled(name.qualified, "$accent"), summary)

    @on(KernelEditor.Asked)
    def _asked(self, event: KernelEditor.Asked) -> None:
        """All that the installed Triton says about a name, on a sheet."""
        from tritontui.ui.screens.sheet import Sheet
        from tritontui.ui.widgets.text_view import BLANK, line

        event.stop()
        name = event.name
        blocks = [line((name.qualified + name.signature, "$accent"))] if name.signature else []
        for text in name.paragraphs:
            depth = len(text) - len(text.lstrip())
            blocks += [line(text.strip(), indent=depth)] if depth else [BLANK, line(text)]
        self.app.push_screen(Sheet(name.qualified, blocks))

    # ------------------------------------------------------------ find

    async def find(self) -> None:
        """Open the field, with the selected word in it, and give it the focus."""
        if self.has_class("-finding"):
            self.screen.set_focus(self.query_one(FindField))
            return
        selected = self.editor.selected_text
        words = self.tr("find: Enter for the next, ↑ for the one before, {key} to go back", key=self.key_of("find"))
        bar = FindBar(FindField(selected if "\n" not in selected else "", words, self._seek, self._find_left))
        closing = [
            replace(key, action="leave") for key in command_bindings(self.triton.keys, "editor") if key.id == "find"
        ]
        give_bindings(bar.field, closing)
        self.add_class("-finding")
        await self.mount(bar)
        self.screen.set_focus(bar.field)

    def _seek(self, backwards: bool, from_start: bool) -> None:
        bar = self.query_one(FindBar)
        sought = bar.field.value
        bar.say(not sought or self.editor.find(sought, backwards=backwards, from_start=from_start))

    def _find_left(self) -> None:
        self.screen.set_focus(self.editor)
        self.remove_class("-finding")
        self.query_one(FindBar).remove()


def _said(mark: Mark, words: str) -> Content:
    return Content.assemble(Content.styled(f"{GLYPHS[mark.severity]} ", f"bold {_COLOURS[mark.severity]}"), words)
