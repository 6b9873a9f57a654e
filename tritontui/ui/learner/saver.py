"""Autosave on its own thread: text reaches the disk even while the terminal isn't read and the event loop stands."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import NamedTuple

from tritontui.course.storage import StorageError
from tritontui.course.work import Stamp, Work

DELAY_S = 0.5
"""After the last key."""
LONGEST_S = 0.7
"""After the first key that isn't on the disk, though typing goes on: with the writing, a machine that fails takes no
more than a second of it along."""


class Saved(NamedTuple):
    """How a save went: ``stamp`` is the file's afterwards, ``error`` why it didn't work."""

    exercise: str
    stamp: Stamp | None
    error: StorageError | None = None
    replaced: bool = False
    """Another program had written the file meanwhile; its text is among the versions."""


class Saver:
    """Writes the newest text of an exercise ``DELAY_S`` after the last ``edited``, or at ``flush``; while edits go on,
    ``LONGEST_S`` after the first.

    ``report`` is called on the saver's thread, or on the thread that flushes. A failed save is tried again with
    the next edit or flush: the text stays pending until it is on the disk.
    """

    def __init__(self, work: Work, report: Callable[[Saved], None], delay: float = DELAY_S) -> None:
        self._work = work
        self._report = report
        self._delay = delay
        self._pending: dict[str, str] = {}
        self.error: StorageError | None = None
        """Why the newest save didn't work, until one did."""
        self._due: float | None = None
        self._latest = 0.0
        """How far further edits may put ``_due`` off."""
        self._closed = False
        self._changed = threading.Condition()
        self._writing = threading.RLock()
        self._thread = threading.Thread(target=self._run, name="saver", daemon=True)
        self._thread.start()

    def edited(self, exercise: str, text: str) -> None:
        """This is the text now; save it soon."""
        with self._changed:
            self._pending[exercise] = text
            now = time.monotonic()
            if self._due is None:
                self._latest = now + max(self._delay, LONGEST_S)
            self._due = min(now + self._delay, self._latest)
            self._changed.notify()

    @property
    def pending(self) -> bool:
        """Whether something isn't on the disk yet."""
        return bool(self._pending)

    def flush(self) -> None:
        """Save what is pending now, on the calling thread."""
        with self._writing:
            with self._changed:
                waiting = dict(self._pending)
                self._due = None
            for exercise, text in waiting.items():
                self._write(exercise, text)

    def close(self) -> None:
        """Save what is pending and end the thread."""
        self.flush()
        with self._changed:
            self._closed = True
            self._changed.notify()

    def _write(self, exercise: str, text: str) -> None:
        try:
            replaced = self._work.save(exercise, text)
            stamp = self._work.stamp(exercise)
        except StorageError as error:
            self.error = error
            self._report(Saved(exercise, None, error))
            return
        self.error = None
        with self._changed:
            if self._pending.get(exercise) == text:
                del self._pending[exercise]
        self._report(Saved(exercise, stamp, replaced=replaced))

    def _run(self) -> None:
        while self._wait_until_due():
            self.flush()

    def _wait_until_due(self) -> bool:
        """True when a save is due, False when closed."""
        with self._changed:
            while not self._closed:
                if self._due is None:
                    self._changed.wait()
                elif (left := self._due - time.monotonic()) > 0:
                    self._changed.wait(left)
                else:
                    return True
            return False
