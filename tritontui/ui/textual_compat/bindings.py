"""Keys that are only known once the application runs."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from textual.binding import Binding, BindingsMap
from textual.dom import DOMNode


def give_bindings(node: DOMNode, bindings: Iterable[Binding], instead_of: Collection[str] = ()) -> None:
    """Bind keys of this one node, before those of its class and instead of those with the ids ``instead_of``.

    Textual reads bindings from classes alone; its keymaps can move a key, but neither add nor take one away.
    """
    made = BindingsMap(bindings)
    for key, binding in node._bindings:
        if binding.id not in instead_of:
            made.key_to_bindings.setdefault(key, []).append(binding)
    node._bindings = made
