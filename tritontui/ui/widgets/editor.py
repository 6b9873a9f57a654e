"""The editor with the one line under it: what is said about the cursor's line, or the field to search in."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from textual import on, work
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import TextArea

from tritontui.ui.bindings import command_bindings
from tritontui.ui.code import highlight
from tritontui.ui.speaking import Speaking
from tritontui.ui.textual_compat.bindings import give_bindings
from tritontui.ui.widgets.code_area import GLYPHS, Mark
from tritontui.ui.widgets.kernel_editor import KernelEditor
from tritontui.ui.widgets.one_line import OneLine

if TYPE_CHECKING:
    from tritontui.ui.code.completion import Names
    from tritontui.ui.widgets.find_bar import FindBar

__all__ = ["EditorPane", "KernelEditor", "Mark"]

_COLOURS = {"error": "$error", "warning": "$warning", "note": "$primary"}


class EditorPane(Speaking, Vertical):
    """The editor, and one line under it that never moves the text.

    The line shows, first of all that apply: the find field, the mark of the cursor's line, the documentation of the
    name that is offered or under the cursor, the first error unless it is said elsewhere. ``pane.editor`` is the
    ``KernelEditor``.
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
        self._find_bar: FindBar | None = None
        self._says_first_error = True

    def compose(self) -> ComposeResult:
        yield self.editor
        yield self._line

    def retranslate(self) -> None:
        """The language has changed."""
        self._say()

    def on_resize(self) -> None:
        """The documentation of a name is cut to the width."""
        self._say()

    def leave_first_error(self, to_others: bool) -> None:
        """Whether something else in view says the first error; the line then doesn't."""
        if self._says_first_error is to_others:
            self._says_first_error = not to_others
            self._say()

    # ------------------------------------------------------------ the line

    @work(thread=True, exit_on_error=False)
    def learn(self) -> None:
        """Import Pygments and read Triton's names, on a thread; until then the code is plain and nothing completed."""
        from tritontui.ui.code.completion import read_names

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
        if worst is None or not self._says_first_error:
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
        from tritontui.ui.widgets.find_bar import FindBar, FindField

        if self._find_bar is not None:
            self.screen.set_focus(self._find_bar.field)
            return
        selected = self.editor.selected_text
        words = self.tr("find: Enter for the next, ↑ for the one before, {key} to go back", key=self.key_of("find"))
        field = FindField(selected if "\n" not in selected else "", words, self._seek, self._find_left)
        bar = self._find_bar = FindBar(field)
        closing = [
            replace(key, action="leave") for key in command_bindings(self.triton.keys, "editor") if key.id == "find"
        ]
        give_bindings(field, closing)
        self.add_class("-finding")
        await self.mount(bar)
        self.screen.set_focus(field)

    def _seek(self, backwards: bool, from_start: bool) -> None:
        bar = self._find_bar
        if bar is None:
            return
        sought = bar.field.value
        bar.say(not sought or self.editor.find(sought, backwards=backwards, from_start=from_start))

    def _find_left(self) -> None:
        self.screen.set_focus(self.editor)
        self.remove_class("-finding")
        if self._find_bar is not None:
            self._find_bar.remove()
            self._find_bar = None


def _said(mark: Mark, words: str) -> Content:
    return Content.assemble(Content.styled(f"{GLYPHS[mark.severity]} ", f"bold {_COLOURS[mark.severity]}"), words)
