"""Keys of one burst, in their order."""

from __future__ import annotations

from textual import events
from textual.widget import Widget


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
