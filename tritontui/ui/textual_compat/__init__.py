"""The only place that touches Textual's private names, so that a new Textual can break one folder at most.

Where a private name is missing, Textual's own behaviour is left as it is: more bytes, nothing else. What the first
frame needs stands in ``frames``; text areas and keys are imported when there is an editor.
"""

from tritontui.ui.textual_compat.frames import DiffDisplay

__all__ = ["DiffDisplay"]
