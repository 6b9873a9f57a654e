"""One run as its caller sees it: a stream of replies that ends with one Done."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

from tritontui.engine.messages import Done, Reply


class Job:
    """Replies are queued whether or not anyone reads; after ``end`` nothing more gets in."""

    def __init__(self, run: int, on_abandon: Callable[[Job], None]) -> None:
        self.run = run
        self.ended = False
        self._on_abandon = on_abandon
        self._replies: asyncio.Queue[Reply] = asyncio.Queue()

    def deliver(self, reply: Reply) -> None:
        """Pass on a child's reply. Its Done is not the run's: another child may still be at work."""
        if not self.ended and not isinstance(reply, Done):
            self._replies.put_nowait(reply)

    def end(self, *, cancelled: bool = False) -> None:
        """The last word; stale replies that come later are dropped."""
        if not self.ended:
            self.ended = True
            self._replies.put_nowait(Done(self.run, cancelled))

    async def stream(self) -> AsyncIterator[Reply]:
        """The replies, Done last. A reader that leaves early cancels the run."""
        try:
            while True:
                reply = await self._replies.get()
                yield reply
                if isinstance(reply, Done):
                    return
        finally:
            if not self.ended:
                self._on_abandon(self)
