"""What is known of the learner, between the progress file and those who ask: read at once, written on a thread.

Home directories may be slow, and may be full: nothing here waits for a write, and nothing raises.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from tritontui.course.progress import Progress
from tritontui.course.storage import StorageError


class Ledger:
    """``failed`` is called with each read and each write that didn't work; of a write, on another thread."""

    def __init__(self, progress: Progress, failed: Callable[[StorageError], None]) -> None:
        self.progress = progress
        self._failed = failed
        self._writer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="progress")
        self._settings: dict[str, str | None] = {}

    def read(self, read: Callable[..., Any], otherwise: Any, *arguments: Any) -> Any:
        """What ``read`` says; ``otherwise``, when that can't be read."""
        try:
            return read(*arguments)
        except StorageError as error:
            self._failed(error)
            return otherwise

    def write(self, write: Callable[..., Any], *arguments: Any) -> None:
        """Call ``write`` with ``arguments`` soon, after what was to be written before."""

        def ended(future: Future[Any]) -> None:
            error = future.exception()
            if isinstance(error, StorageError):
                self._failed(error)

        self._writer.submit(write, *arguments).add_done_callback(ended)

    def written(self) -> None:
        """Wait until what was said so far is on the disk: not on the event loop."""
        self._writer.submit(lambda: None).result()

    def setting(self, name: str) -> str | None:
        """As it was last set; None if it never was."""
        if name not in self._settings:
            self._settings[name] = self.read(self.progress.setting, None, name)
        return self._settings[name]

    def set_setting(self, name: str, value: str) -> None:
        """Remember a setting."""
        self._settings[name] = value
        self.write(self.progress.set_setting, name, value)

    def close(self) -> None:
        """Everything reaches the disk before this returns."""
        self._writer.shutdown(wait=True)
