"""Records a launch line by line, for the step view: rewritten code tells what each statement assigned.

Values are kept as they are, without a copy, while all programs fit. When they don't, every second half of the kept
programs is let go, the first and the last staying, so that the launch is covered to its end for those that are left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tritontui.analysis.stepping.recording import Call, Kind, Moment, Recording, Value
from tritontui.runner.lockstep.dtypes import short_name
from tritontui.runner.lockstep.recorder import Recorder
from tritontui.runner.lockstep.values import DescriptorHandle, Handle, Undefined
from tritontui.runner.triton_compat import aggregate_fields, tl

Indices = NDArray[np.intp]

MOST_PROGRAMS = 1024
"""Kept at first."""
FEWEST_PROGRAMS = 4
MOST_MOMENTS = 20_000


class StepRecorder:
    """Told by ``Control`` of every call and every line. ``muted`` says whose functions nobody steps through."""

    def __init__(self, recorder: Recorder, total: int, memory_bytes: int, file: str | None, muted: str) -> None:
        self._recorder = recorder
        self._file = file
        self._muted = muted
        self._room = memory_bytes
        self._counted: dict[int, NDArray[Any]] = {}
        self._open: list[int | None] = []
        """Calls that go on, innermost last; None for one that isn't followed."""
        self._silent = 0
        self._seen = 0
        """Accesses that belong to earlier lines."""
        self._total = total
        self.recording = Recording(_edges(total, total if total <= MOST_PROGRAMS else MOST_PROGRAMS // 4))

    # ------------------------------------------------------------ calls

    def begin(self) -> None:
        """Programs start at the kernel's first line."""
        self._open.clear()
        self._silent = 0
        self._seen = len(self._recorder.accesses)

    def enter(self, function: Callable[..., Any]) -> None:
        """A rewritten function is called."""
        code = function.__code__
        if code.co_filename.startswith(self._muted):
            self._open.append(None)
            return
        caller = next((one for one in reversed(self._open) if one is not None), None)
        calls = self.recording.calls
        depth = 0 if caller is None else calls[caller].depth + 1
        source, first = function.__dict__["source"]
        in_file = self._file is None or code.co_filename == self._file
        self._open.append(len(calls))
        calls.append(Call(function.__name__, caller, depth, source, first, in_file))

    def leave(self) -> None:
        """It has come back, for all programs."""
        self._open.pop()

    @contextmanager
    def silent(self) -> Iterator[None]:
        """Nothing is recorded: lanes run as if they were programs."""
        self._silent += 1
        try:
            yield
        finally:
            self._silent -= 1

    # ------------------------------------------------------------ lines

    def step(
        self,
        kind: Kind,
        line: int,
        names: Sequence[str],
        values: Sequence[Any],
        active: Indices,
        iterations: Sequence[int],
    ) -> None:
        """``line`` was executed by ``active`` and gave ``names`` these values (of its function, all its programs)."""
        if self._silent or not self._open or self._open[-1] is None or not self.recording.complete:
            return
        rows = self._kept_of(active)
        if not len(rows):
            return
        if len(self.recording.moments) >= MOST_MOMENTS:
            self.recording.complete = False
            return
        whole = None if len(rows) == len(active) else rows
        made = [pair for name, value in zip(names, values, strict=True) for pair in self._values(name, value, whole)]
        accesses = (self._seen, len(self._recorder.accesses))
        self._seen = accesses[1]
        moment = Moment(
            kind, line, self._open[-1], tuple(iterations), active[rows].astype(np.int64), tuple(made), accesses
        )
        self.recording.moments.append(moment)
        if self._room < 0:
            self._thin()

    def stopped(self, line: int, active: Indices, iterations: Sequence[int]) -> None:
        """An error ended the kernel there."""
        while self._open and self._open[-1] is None:
            self._open.pop()
        self._silent = 0
        self.step("stopped", line, (), (), active, iterations)

    def mark(self) -> tuple[int, int]:
        """A point to come back to."""
        return len(self.recording.moments), len(self.recording.calls)

    def back_to(self, mark: tuple[int, int]) -> None:
        """Forget what came since ``mark``: it is run again."""
        moments, calls = mark
        del self.recording.moments[moments:]
        del self.recording.calls[calls:]
        self.recording.complete = True
        self._count_again()

    @property
    def used_bytes(self) -> int:
        """What the values take."""
        return sum(array.nbytes for array in self._counted.values())

    # ------------------------------------------------------------ values

    def _values(self, name: str, value: Any, rows: Indices | None) -> Iterator[tuple[str, Value]]:
        """The name with its value; of a tuple or an aggregate, each item under a name of its own."""
        if isinstance(value, Undefined):
            return
        if isinstance(value, tl.tensor):
            if isinstance(value.handle, Handle):
                yield name, self._of_handle(value.handle, rows)
            elif isinstance(value.handle, DescriptorHandle):
                yield name, self._of_descriptor(value.handle, rows)
            return
        handle = None if isinstance(value, (tl.constexpr, tl.tuple)) else getattr(value, "handle", None)
        fields = aggregate_fields(value)
        if isinstance(handle, DescriptorHandle):
            yield name, self._of_descriptor(handle, rows)
        elif fields is not None:
            for part in fields:
                yield from self._values(f"{name}.{part}", getattr(value, part), rows)
        elif isinstance(value, (tuple, list, tl.tuple)):
            for index, item in enumerate(value):
                yield from self._values(f"{name}[{index}]", item, rows)
        else:
            yield name, Value("constexpr", text=_constant(value))

    def _of_handle(self, handle: Handle, rows: Indices | None) -> Value:
        data = handle.data
        if rows is not None and len(data) > 1:
            data = data[rows]
        self._count(data)
        owner = handle.owner.name if handle.owner is not None else ""
        return Value(_dtype(handle.dtype), handle.shape, data, owner)

    def _of_descriptor(self, handle: DescriptorHandle, rows: Indices | None) -> Value:
        parts = tuple(self._of_handle(one, rows) for one in (handle.base, *handle.shape, *handle.strides))
        return Value("descriptor", handle.block_shape, parts=parts)

    # ------------------------------------------------------------ room

    def _kept_of(self, programs: Indices | NDArray[np.int64]) -> Indices:
        """Positions in ``programs``, which ascend, of those that are kept: few, and a grid may have 2³¹ programs."""
        kept = self.recording.programs
        if len(kept) == self._total:
            return np.arange(len(programs))
        at = np.searchsorted(programs, kept)
        at = at[: np.searchsorted(at, len(programs))]
        return np.asarray(at[programs[at] == kept[: len(at)]])

    def _count(self, data: NDArray[Any]) -> None:
        base = data.base if isinstance(data.base, np.ndarray) else data
        if id(base) not in self._counted:
            self._counted[id(base)] = base
            self._room -= base.nbytes

    def _count_again(self) -> None:
        self._room += self.used_bytes
        self._counted.clear()
        for moment in self.recording.moments:
            for _, value in moment.values:
                for one in (value, *value.parts):
                    if one.data is not None:
                        self._count(one.data)

    def _thin(self) -> None:
        """Keep half of the programs, or record no more."""
        kept = self.recording.programs
        if len(kept) <= FEWEST_PROGRAMS:
            self.recording.complete = False
            return
        self.recording.programs = kept[_edges(len(kept), max(len(kept) // 4, FEWEST_PROGRAMS // 2))]
        moments: list[Moment] = []
        copies: dict[tuple[int, bytes], NDArray[Any]] = {}
        for moment in self.recording.moments:
            rows = self._kept_of(moment.programs)
            if len(rows):
                values = tuple((name, _narrowed(value, rows, copies)) for name, value in moment.values)
                moments.append(replace(moment, programs=moment.programs[rows], values=values))
        self.recording.moments[:] = moments
        self._count_again()


def _narrowed(value: Value, rows: Indices, copies: dict[tuple[int, bytes], NDArray[Any]]) -> Value:
    """``value`` for fewer programs; ``copies`` keeps an array shared that several names share."""
    if value.parts:
        return replace(value, parts=tuple(_narrowed(part, rows, copies) for part in value.parts))
    data = value.data
    if data is None or len(data) == 1:
        return value
    key = (id(data), rows.tobytes())
    if key not in copies:
        copies[key] = data[rows]
    return replace(value, data=copies[key])


def _edges(total: int, each: int) -> NDArray[np.int64]:
    """The first and the last ``each`` of ``total``: where programs differ most."""
    return np.unique(np.concatenate([np.arange(min(each, total)), np.arange(max(total - each, 0), total)]))


def _dtype(dtype: Any) -> str:
    return f"*{_dtype(dtype.element_ty)}" if dtype.is_ptr() else short_name(dtype)


def _constant(value: Any) -> str:
    """As Python writes it."""
    if isinstance(value, tl.constexpr):
        value = value.value
    if value is None or isinstance(value, (bool, int, float, str)):
        return repr(value)
    name = getattr(value, "__name__", None) or getattr(getattr(value, "fn", None), "__name__", None)
    return str(name or value)
