"""Being told of changes in a folder, by the system where it does so: inotify on Linux, through ``watchfiles``."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

DEBOUNCE_MS = 100
"""An editor that writes, renames and sets modes makes one change of it."""
STEP_MS = 50
LOOK_UP_MS = 5_000
"""How often the watch wakes up without any change, to see whether it is to end."""


class FolderWatch:
    """Calls ``changed`` on a thread of its own after something in ``folder`` changed; not for folders in it.

    It may end by itself (no library, no inotify watch left, the folder is gone) and sees nothing of what other
    machines write into a shared folder: whoever must know looks there from time to time as well.
    """

    def __init__(self, folder: Path, changed: Callable[[], None]) -> None:
        self._folder = folder
        self._changed = changed
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="disk", daemon=True)

    def start(self) -> None:
        """Begin; the library is imported on the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Call nothing any more. The thread ends soon after."""
        self._stop.set()

    def _run(self) -> None:
        try:
            from watchfiles import watch

            changes = watch(
                self._folder,
                stop_event=self._stop,
                debounce=DEBOUNCE_MS,
                step=STEP_MS,
                rust_timeout=LOOK_UP_MS,
                recursive=False,
                raise_interrupt=False,
            )
            for _ in changes:
                if not self._stop.is_set():
                    self._changed()
        except (ImportError, OSError, RuntimeError):  # then the looks from time to time must do
            return
