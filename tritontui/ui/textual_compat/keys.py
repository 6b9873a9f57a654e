"""Keys in their order: those of one burst, and those typed before there is anything to type into."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from typing import Any

from textual import events
from textual.app import App
from textual.widget import Widget

BUSY_S = 10.0
"""At most, for a widget to take in what has been typed: a stalled line delivers all of it at once."""


class HeldKeys(App[None]):
    """An application that can keep keys and pastes waiting: ``hold_keys``, and ``release_keys`` when it is furnished.

    Whoever starts typing at once loses nothing, and no command runs on a screen that is only half there.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._holds = False
        self._waiting: deque[events.Event] = deque()

    def hold_keys(self) -> None:
        """From now on keys wait, but for those that ``may_pass`` while none waits before them."""
        self._holds = True

    def release_keys(self) -> None:
        """Handle the keys that wait, in their order and before those still to come."""
        self._holds = False
        self.try_keys()

    def may_pass(self, event: events.Event) -> bool:  # noqa: ARG002
        """Hook: whether a key or a paste is handled at once though keys are held."""
        return False

    def try_keys(self) -> asyncio.Event:
        """Handle the keys that wait and may pass by now; set when they have been."""
        tried = asyncio.Event()
        self.call_later(self._try, tried)
        return tried

    async def _try(self, tried: asyncio.Event) -> None:
        """One key, and the next when what it asked to be called later, such as another focus, has been."""
        if self._waiting and self._passes(self._waiting[0]):
            await self._handle(self._waiting.popleft())
            self.call_later(self._try, tried)
        else:
            tried.set()

    def _passes(self, event: events.Event) -> bool:
        return not self._holds or self.may_pass(event)

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, events.MouseEvent) and (self._holds or self._waiting):
            return
        if isinstance(event, events.Key | events.Paste) and (self._waiting or not self._passes(event)):
            self._waiting.append(event)
            return
        await self._handle(event)

    async def _handle(self, event: events.Event) -> None:
        """As Textual does; but a key that may be a command waits for the characters typed before it.

        A command of the application runs as the key arrives, while characters still wait in the queue of the widget
        with the focus: in a burst the step would change before they are in the text that they were typed into.
        """
        if isinstance(event, events.Key) and not event.is_forwarded and not event.is_printable:
            await caught_up(self.focused)
        await super().on_event(event)


async def caught_up(widget: Widget | None) -> None:
    """Return when ``widget`` has handled what was sent to it before now, or is busy for too long."""
    there = asyncio.Event()
    if widget is not None and widget.call_later(there.set):
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(there.wait(), BUSY_S)


async def run_own_binding(widget: Widget, event: events.Key) -> bool:
    """Run the binding that ``widget`` itself has for a key, at once.

    Textual runs bindings when the key has bubbled up to the application, while typed characters are inserted on
    arrival. So in a burst (a slow line, a held key) characters overtake the arrow keys typed before them.
    """
    bindings = getattr(widget, "_bindings", None)
    if bindings is None:
        return False
    if keymap := getattr(widget.app, "_keymap", None):
        bindings = bindings.copy()
        bindings.apply_keymap(keymap)
    for binding in bindings.key_to_bindings.get(event.key, ()):
        if not binding.priority and await widget.app.run_action(binding.action, widget):
            event.prevent_default()
            event.stop()
            return True
    return False


def pass_on(widget: Widget, event: events.Key) -> bool:
    """Give a key to the widget that has the focus by now, if it isn't ``widget``.

    Keys of one burst are addressed before the first of them is handled: after one that moves the focus, the rest
    still arrive at the widget it was taken from.
    """
    focused = widget.screen.focused
    if focused is None or focused is widget:
        return False
    event.prevent_default()
    event.stop()
    focused.post_message(events.Key(event.key, event.character))
    return True
