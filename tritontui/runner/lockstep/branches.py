"""Branches and loops of rewritten kernels: how programs part, wait, and meet again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tritontui.runner.lockstep.errors import NoProgress
from tritontui.runner.lockstep.values import Handle, Part, Undefined, merge, narrow
from tritontui.runner.triton_compat import tl

if TYPE_CHECKING:
    from tritontui.runner.lockstep.control import Control

Indices = NDArray[np.intp]
Values = tuple[Any, ...]


class LoopRange:
    """What ``range``, ``tl.range`` and ``tl.static_range`` give inside a kernel."""

    __slots__ = ("start", "static", "step", "stop")

    def __init__(self, start: Any, stop: Any, step: Any, static: bool) -> None:
        self.start = start
        self.stop = stop
        self.step = step
        self.static = static


def loop_range(arg1: Any, arg2: Any = None, step: Any = None, **_hints: Any) -> LoopRange:
    """``range`` and ``tl.range``: the hints are for the compiler."""
    return LoopRange(0, arg1, 1, False) if arg2 is None else LoopRange(arg1, arg2, 1 if step is None else step, False)


def static_range(arg1: Any, arg2: Any = None, step: Any = None) -> LoopRange:
    """``tl.static_range``: its bounds must be known to the compiler."""
    made = loop_range(arg1, arg2, step)
    for name, value in (("start", made.start), ("end", made.stop), ("step", made.step)):
        if isinstance(value, tl.tensor):
            raise TypeError(f"{value} used as tl.static_range {name} value is not a constexpr")
    made.static = True
    return made


class Uniform:
    """An ``if`` that all active programs take the same way."""

    __slots__ = ("arms", "assigned", "control", "runtime", "values")

    def __init__(self, control: Control, taken: bool, runtime: bool) -> None:
        self.control = control
        self.arms = (taken,)
        self.runtime = runtime
        self.assigned = 0
        self.values: Values = ()

    def enter(self, values: Values, _written: int, assigned: int) -> Values:
        self.assigned = assigned
        return values

    def leave(self, values: Values) -> None:
        self.values = values

    def join(self) -> Values:
        if self.runtime and self.assigned:
            return self.control.carried(self.values, self.assigned)
        return self.values


class Divergent:
    """An ``if`` that some active programs take and others don't: first those that do."""

    def __init__(self, control: Control, truths: NDArray[np.bool_]) -> None:
        self.control = control
        self.entry = control.active
        self.truths = truths
        self.original: Values | None = None
        self.current: Values = ()
        self.written = 0
        self.rows: Indices = self.entry
        self.left: list[tuple[Indices, Indices, Values, Values]] = []
        control.divergences += 1

    @property
    def arms(self) -> Iterator[bool]:
        for arm in (True, False):
            self.rows = np.flatnonzero(self.truths == arm)
            self.control.active = self.entry[self.rows]
            yield arm

    def enter(self, values: Values, written: int, _assigned: int) -> Values:
        if self.original is None:
            self.original, self.written = values, written
        self.current = tuple(narrow(value, self.rows) for value in self.original)
        return self.current

    def leave(self, values: Values) -> None:
        self.left.append((self.rows, self.control.active, values, self.current))

    def join(self) -> Values:
        control, entry = self.control, self.entry
        arms = [
            (
                rows if len(ids) == len(rows) else np.searchsorted(entry, ids),
                values,
                current,
            )
            for rows, ids, values, current in self.left
            if len(ids)
        ]
        alive = np.sort(np.concatenate([rows for rows, *_ in arms])) if arms else self.rows[:0]
        whole = len(alive) == len(entry)
        control.active = entry if whole else entry[alive]
        original = self.original or ()
        out = list(original)
        for position in range(self.written):
            untouched = all(values[position] is current[position] for _, values, current in arms)
            if untouched:
                out[position] = original[position] if whole else narrow(original[position], alive)
                continue
            parts = [
                Part(rows if whole else np.searchsorted(alive, rows), values[position]) for rows, values, _ in arms
            ]
            out[position] = merge(parts, len(alive), control.to_tensor)
        return tuple(out)


class Loop:
    """Programs leave a loop one after another; those that have left wait with the values they left with."""

    def __init__(self, control: Control, line: int, values: Values, written: int, assigned: int) -> None:
        self.control = control
        self.line = line
        self.original = values
        self.written = written
        self.assigned = assigned
        self.done: list[tuple[Indices, Values]] = []
        self.keep: NDArray[np.bool_] | None = None
        self.depth = len(control.iterations)
        control.iterations.append(-1)

    def start(self) -> Values:
        self.original = self.control.carried(self.original, self.assigned)
        return self.original

    def enter(self, values: Values) -> Values:
        """Narrow to the programs that do one more round."""
        keep, control = self.keep, self.control
        if keep is None:
            return values
        control.divergences += 1
        leaving = np.flatnonzero(~keep)
        written = self.written
        self.done.append(
            (control.active[leaving], tuple(narrow(value, leaving) for value in values[:written])),
        )
        staying = np.flatnonzero(keep)
        control.active = control.active[staying]
        return tuple(narrow(value, staying) for value in values)

    def join(self, values: Values) -> Values:
        control, written = self.control, self.written
        del control.iterations[self.depth :]
        if not self.done:
            return values
        parts = [*self.done, (control.active, values[:written])]
        parts = [(ids, part) for ids, part in parts if len(ids)]
        ids = np.sort(np.concatenate([ids for ids, _ in parts])) if parts else control.active
        control.active = ids
        merged = (
            merge([Part(np.searchsorted(ids, one), part[i]) for one, part in parts], len(ids), control.to_tensor)
            for i in range(written)
            if parts
        )
        return (*merged, *self.original[written:]) if parts else self.original

    def next_round(self, keep: NDArray[np.bool_] | bool) -> bool:
        """Note who goes on (one bool when all agree); False when nobody does."""
        control = self.control
        control.iterations[self.depth] += 1
        control.check_time()
        if isinstance(keep, bool):
            self.keep = None
            if not keep:
                control.decided(self.line, False)
            return keep
        self.keep = keep
        control.decided(self.line, False, control.active[~keep])
        return True


class StaticLoop(Loop):
    """A loop that the compiler unrolls: every program does every round."""

    def __init__(
        self, control: Control, line: int, items: Iterator[Any], values: Values, written: int, assigned: int
    ) -> None:
        super().__init__(control, line, values, written, assigned)
        self.items = items
        self.item: Any = None

    def start(self) -> Values:
        return self.original

    def more(self) -> bool:
        if not len(self.control.active):
            return False
        try:
            self.item = next(self.items)
        except StopIteration:
            return self.next_round(False)
        return self.next_round(True)

    def index(self) -> Any:
        return self.item


class ForLoop(Loop):
    """``for i in range(start, stop, step)`` with bounds that may differ between programs."""

    def __init__(
        self, control: Control, line: int, bounds: LoopRange, values: Values, written: int, assigned: int
    ) -> None:
        super().__init__(control, line, values, written, assigned)
        tensors = [control.to_tensor(one) for one in (bounds.start, bounds.stop, bounds.step)]
        for tensor in tensors:
            if not tensor.dtype.is_int():
                raise TypeError(
                    f"For loop bounds and step must all be ints, are ({', '.join(str(one.dtype) for one in tensors)})"
                )
            if tensor.type.is_block():
                raise TypeError(f"For bounds and step must be scalars, got {tensor.type}")
        semantic = control.semantic
        promoted = semantic.integer_promote_impl(tensors[0].dtype, tensors[1].dtype)
        self.dtype = semantic.integer_promote_impl(promoted, tensors[2].dtype)
        start, stop, step = (tensor.handle.data.astype(np.int64) for tensor in tensors)
        if not step.all():
            raise ValueError("the step of a range must not be zero")
        rounds = np.maximum(0, -((start - stop) // step))
        self.ids = control.active
        self.first, self.step = start, step
        self.rounds = rounds[:1] if (rounds == rounds[0]).all() else rounds
        self.round = -1

    def more(self) -> bool:
        control = self.control
        self.round += 1
        if not len(control.active):
            return False
        left = self._own(self.rounds) > self.round
        if left.all():
            return self.next_round(True)
        if not left.any():
            return self.next_round(False)
        return self.next_round(left)

    def join(self, values: Values) -> Values:
        """What only the loop knows ends with it, as in the compiler: another loop may give the name another type."""
        before, after = self.original, super().join(values)
        return tuple(old if isinstance(old, Undefined) else new for old, new in zip(before, after, strict=True))

    def _own(self, data: NDArray[Any]) -> NDArray[Any]:
        """Rows of the programs that are active now."""
        if data.shape[0] == 1 or len(self.control.active) == len(self.ids):
            return data
        return data[np.searchsorted(self.ids, self.control.active)]

    def index(self) -> Any:
        value = self._own(self.first) + self.round * self._own(self.step)
        data = value.astype(np.int64 if self.dtype.primitive_bitwidth == 64 else np.int32)
        handle = Handle(data, self.dtype, (), int(data.min()), int(data.max()))
        return self.control.semantic.tensor(handle, self.dtype)


class WhileLoop(Loop):
    """``while``: with a watch for rounds in which nothing changes."""

    def __init__(self, control: Control, line: int, *names: Any) -> None:
        super().__init__(control, line, *names)
        self.waited = 0
        self.seen: tuple[int, int] = (-1, -1)
        self.last: Values = ()
        self.reads = (0, 0)

    def test(self, condition: Any) -> bool:
        return self.next_round(self.control.truth(condition))

    def enter(self, values: Values) -> Values:
        values = super().enter(values)
        control = self.control
        control.decided(self.line, True)
        state = (control.writes, len(control.active))
        same = state == self.seen
        self.seen = state
        reads_before, sum_before = self.reads
        sum_now = control.read_sum - reads_before
        self.reads = (control.read_sum, sum_now)
        if not same:
            self.waited = 0
            self.last = values[: self.written]
            return values
        self.waited = self.waited + 1 if sum_now == sum_before else 0
        stuck = self.waited >= 2 and all(map(_unchanged, self.last, values[: self.written]))
        spinning = sum_now != 0 and self.waited >= control.spin_rounds
        if stuck or spinning:
            raise NoProgress(len(control.active), [int(one) for one in control.active[:16]])
        self.last = values[: self.written]
        return values


def _unchanged(before: Any, now: Any) -> bool:
    if before is now:
        return True
    if isinstance(before, tl.tensor) and isinstance(now, tl.tensor):
        return np.array_equal(before.handle.data, now.handle.data)
    if isinstance(before, (tuple, tl.tuple)) and isinstance(now, (tuple, tl.tuple)):
        return len(before) == len(now) and all(map(_unchanged, before, now))
    return isinstance(before, (int, float)) and before is not True and before == now
