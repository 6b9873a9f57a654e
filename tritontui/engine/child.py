"""One runner child: a process of its own session, spoken to in frames over its stdin and stdout."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tritontui.engine.frames import FrameError, encode, reply_decoder
from tritontui.engine.messages import Reply, Request
from tritontui.engine.offspring import MARK, end_offspring

COMMAND: tuple[str, ...] = (sys.executable, "-m", "tritontui.runner")

_READ_BYTES = 64 * 1024
_STDERR_BYTES = 32 * 1024
_LAST_WORDS_SECONDS = 1.0
_WATCHER = """
read -r line && exit
kill -s KILL -- "-$1"
for found in $(grep -lsF -- "$3" /proc/[0-9]*/environ); do
    pid=${found%/environ}
    kill -s KILL "${pid#/proc/}"
done
rm -rf -- "$2"
"""
"""Its stdin, a pipe from this process, ended without a line: this process is dead. Kill group $1 and every process that
has $3 in its environment, remove folder $2."""


class Child:
    """Started once, ended once. ``on_reply`` is called in the event loop for each reply, in order."""

    def __init__(
        self,
        arguments: Sequence[str],
        on_reply: Callable[[Reply], None],
        *,
        folder: Path,
        command: Sequence[str] = COMMAND,
    ) -> None:
        self._arguments = [*command, *arguments]
        self._on_reply = on_reply
        self._folder = folder
        self._mark = secrets.token_hex(8)
        self._stderr = bytearray()
        self._process: asyncio.subprocess.Process | None = None
        self._watcher: asyncio.subprocess.Process | None = None
        self.garbage: FrameError | None = None
        """What came out of the child that was no reply; it is killed for it."""

    @property
    def pid(self) -> int | None:
        return None if self._process is None else self._process.pid

    @property
    def stderr(self) -> str:
        """The end of what the process wrote to its first stderr: faults and failed imports, no learner's prints."""
        return self._stderr.decode(errors="replace")

    def forget_stderr(self) -> None:
        """A run begins: what an earlier one left there is no matter of this one."""
        self._stderr.clear()

    async def start(self, environment: Mapping[str, str]) -> None:
        """Raises OSError when the interpreter can't be started."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)  # some systems clean /tmp under our feet
        pipe = asyncio.subprocess.PIPE
        self._process = await asyncio.create_subprocess_exec(
            *self._arguments,
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            cwd=self._folder,
            env={**environment, MARK: self._mark},
            start_new_session=True,
        )
        try:
            self._watcher = await self._watch(self._process.pid)
        except BaseException:
            self.kill()
            raise

    def send(self, request: Request) -> None:
        """Never waits; a child that is dead or deaf is noticed by its deadline."""
        assert self._process is not None and self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.write(encode(request))

    async def talk(self) -> int:
        """Pass replies on until the process is dead; its exit code (negative: the signal that ended it)."""
        assert self._process is not None
        stderr = asyncio.create_task(self._keep_stderr())
        try:
            await self._read_replies()
        finally:
            self.kill()  # a child that closed its stdout is of no more use
            await asyncio.to_thread(end_offspring, self._mark)  # a fork holds our pipes open, and wait() waits for them
            exit_code = await self._process.wait()
            await asyncio.wait([stderr], timeout=_LAST_WORDS_SECONDS)
            stderr.cancel()
            await self._dismiss_watcher()
        return exit_code

    async def _watch(self, pid: int) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            "/bin/sh", "-c", _WATCHER, "tritontui-watcher", str(pid), str(self._folder), f"{MARK}={self._mark}",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
            start_new_session=True,
        )  # fmt: skip

    def kill(self) -> None:
        """SIGKILL to the process and all it started."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)

    async def _read_replies(self) -> None:
        assert self._process is not None and self._process.stdout is not None
        decoder = reply_decoder()
        while data := await self._process.stdout.read(_READ_BYTES):
            try:
                replies = decoder.feed(data)
            except FrameError as error:
                self.garbage = error
                return
            for reply in replies:
                self._on_reply(reply)

    async def _keep_stderr(self) -> None:
        assert self._process is not None and self._process.stderr is not None
        while data := await self._process.stderr.read(_READ_BYTES):
            self._stderr += data
            del self._stderr[:-_STDERR_BYTES]

    async def _dismiss_watcher(self) -> None:
        if self._watcher is None or self._watcher.stdin is None:
            return
        with contextlib.suppress(OSError):
            self._watcher.stdin.write(b"done\n")
            self._watcher.stdin.close()
        await self._watcher.wait()
