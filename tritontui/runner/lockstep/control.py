"""The runtime of rewritten kernels: which programs are active, and how they part and meet again."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tritontui.analysis.stepping.recording import Kind
from tritontui.runner.lockstep.branches import Divergent, ForLoop, LoopRange, StaticLoop, Uniform, WhileLoop
from tritontui.runner.lockstep.errors import BlockTruthValue, BudgetExceeded, StaticAssertion, UnsupportedStatement
from tritontui.runner.lockstep.steps import StepRecorder
from tritontui.runner.lockstep.values import Handle, Part, Undefined, merge, narrow
from tritontui.runner.triton_compat import tl

Indices = NDArray[np.intp]
Values = tuple[Any, ...]


class Control:
    """Programs of one chunk of a launch: rewritten code holds it as ``_L``.

    ``active`` are the ids of the programs that execute the current statement, ascending.
    """

    def __init__(self, semantic: Any, seconds: float, spin_rounds: int) -> None:
        """``seconds``: from now on, after which the programs are stopped."""
        self.semantic = semantic
        self.seconds = seconds
        self.deadline = time.monotonic() + seconds
        self.spin_rounds = spin_rounds
        self.active: Indices = np.empty(0, np.intp)
        self.frames: list[list[tuple[Indices, Any]]] = []
        self.iterations: list[int] = []
        self.writes = 0
        """Changes of memory so far."""
        self.read_sum = 0
        """Changes whenever a read goes to another place than before; a loop that only waits repeats it."""
        self.divergences = 0
        self.variant = 0
        """Which variant of the kernel runs (``variants.with_variants``); 0: the learner's own."""
        self.steps: StepRecorder | None = None
        """Who is told of every line."""

    # ------------------------------------------------------------ lines

    def step(self, kind: Kind, line: int, names: tuple[str, ...], values: Values) -> None:
        """A line was executed and gave ``names`` these values."""
        if self.steps is not None:
            self.steps.step(kind, line, names, values, self.active, self.iterations)

    def returned(self, line: int, value: Any) -> Any:
        """The value of a ``return``, noted."""
        self.step("return", line, ("return",), (value,))
        return value

    def decided(self, line: int, truths: bool | NDArray[np.bool_], programs: Indices | None = None) -> None:
        """A condition, one bool when the active programs agree; ``programs`` are its own when they are only some."""
        if self.steps is not None:
            data = np.atleast_1d(np.asarray(truths, np.bool_))
            value = tl.tensor(Handle(data, tl.int1), tl.int1)
            active = self.active if programs is None else programs
            self.steps.step("branch", line, ("",), (value,), active, self.iterations)

    def unstepped(self) -> AbstractContextManager[None]:
        """While lanes run as if they were programs."""
        return self.steps.silent() if self.steps is not None else nullcontext()

    # ------------------------------------------------------------ calls

    def call(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call a rewritten function: programs may leave it at different returns, and all come back here."""
        ended: list[tuple[Indices, Any]] = []
        self.frames.append(ended)
        if self.steps is not None:
            self.steps.enter(function)
        entry = self.active
        try:
            result = function(*args, **kwargs)
        finally:
            self.frames.pop()
        if self.steps is not None:
            self.steps.leave()  # not after an error: the call is where it happened
        if not ended:
            return result
        if len(self.active):
            ended.append((self.active, None))
        self.active = entry
        if len(ended) == 1:
            return ended[0][1]
        parts = [Part(np.searchsorted(entry, ids), value) for ids, value in ended]
        return merge(parts, len(entry), self.to_tensor)

    def leave_function(self, value: Any) -> None:
        """``return value`` for the programs that are active."""
        self.frames[-1].append((self.active, value))
        self.active = self.active[:0]

    def alive(self) -> bool:
        return len(self.active) > 0

    def undefined(self, *names: str) -> list[Undefined]:
        return [Undefined(name) for name in names]

    # ------------------------------------------------------------ truth

    def plain(self, value: Any) -> Any:
        """``value`` itself, or what a constexpr holds."""
        return value.value if isinstance(value, tl.constexpr) else value

    def unwrapped(self, value: Any) -> Any:
        """``value.value``; of a constant, which only the compiler wraps, the constant itself."""
        is_constant = value is None or isinstance(value, (bool, int, float, str, tl.dtype))
        return getattr(value, "value", value) if is_constant else value.value

    def numeric(self, value: Any) -> Any:
        """A Python number whose method or dtype is asked for, as the tensor that the compiler makes of a variable."""
        return self.to_tensor(value) if isinstance(value, (int, float)) else value

    def to_tensor(self, value: Any) -> Any:
        return self.semantic.to_tensor(value)

    def truth(self, condition: Any) -> bool | NDArray[np.bool_]:
        """One bool when all active programs agree, else one per program. Raises ``BlockTruthValue``."""
        condition = self.plain(condition)
        if not isinstance(condition, tl.tensor):
            return bool(condition)
        if condition.type.is_block():
            raise BlockTruthValue
        data = condition.handle.data
        truths = data if data.dtype == np.bool_ else data != 0
        if truths.shape[0] == 1:
            return bool(truths[0])
        count = np.count_nonzero(truths)
        if count == truths.shape[0]:
            return True
        return truths if count else False

    def goes_on(self, value: Any, is_and: bool) -> bool:
        """Must the right side of ``and`` / ``or`` be looked at? Only a constexpr left side can end it."""
        value = self.plain(value)
        return isinstance(value, tl.tensor) or bool(value) is is_and

    def both(self, left: Any, right: Any) -> Any:
        return self._logical(left, right, "logical_and", False)

    def either(self, left: Any, right: Any) -> Any:
        return self._logical(left, right, "logical_or", True)

    def _logical(self, left: Any, right: Any, method: str, deciding: bool) -> Any:
        left, right = self.plain(left), self.plain(right)
        if not isinstance(left, tl.tensor):
            return left if bool(left) is deciding else right
        if not isinstance(right, tl.tensor):
            return right if bool(right) is deciding else left
        return getattr(left, method)(right)

    def negate(self, value: Any) -> Any:
        value = self.plain(value)
        return self.semantic.not_(value) if isinstance(value, tl.tensor) else not value

    def assertion(self, condition: Any, message: Any) -> None:
        """``assert`` in a kernel is ``tl.device_assert``, of a constexpr ``tl.static_assert``."""
        condition = self.plain(condition)
        if isinstance(condition, tl.tensor):
            tl.device_assert(condition, str(self.plain(message)))
        elif not condition:
            raise StaticAssertion(self.plain(message))

    def unsupported(self, statement: str, line: int, column: int) -> None:
        raise UnsupportedStatement(statement, line, column)

    def ternary(self, condition: Any, then: Callable[..., Any], otherwise: Callable[..., Any], values: Values) -> Any:
        """``then(*values) if condition else otherwise(*values)``, each for the programs that ask for it."""
        truths = self.truth(condition)
        if isinstance(truths, bool):
            chosen = (then if truths else otherwise)(*values)
            runtime = isinstance(self.plain(condition), tl.tensor)
            return self.to_tensor(chosen) if runtime and _is_number(chosen) else chosen
        self.divergences += 1
        entry = self.active
        parts = []
        for arm, function in ((True, then), (False, otherwise)):
            rows = np.flatnonzero(truths == arm)
            self.active = entry[rows]
            parts.append(Part(rows, function(*(narrow(value, rows) for value in values))))
        self.active = entry
        return merge(parts, len(entry), self.to_tensor)

    # ------------------------------------------------------------ branches and loops

    def branch(self, line: int, condition: Any) -> Uniform | Divergent:
        truths = self.truth(condition)
        self.decided(line, truths)
        if isinstance(truths, bool):
            return Uniform(self, truths, isinstance(self.plain(condition), tl.tensor))
        return Divergent(self, truths)

    def loop(self, line: int, iterable: Any, *names: Any) -> ForLoop | StaticLoop:
        """``names``: values of variables, how many of them the loop changes, and how many it assigns."""
        iterable = self.plain(iterable)
        if not isinstance(iterable, LoopRange):
            return StaticLoop(self, line, iter(iterable), *names)
        if iterable.static:
            start, stop, step = (self.plain(one) for one in (iterable.start, iterable.stop, iterable.step))
            return StaticLoop(self, line, iter(range(start, stop, step)), *names)
        return ForLoop(self, line, iterable, *names)

    def while_loop(self, line: int, *names: Any) -> WhileLoop:
        """``names`` as in ``loop``."""
        return WhileLoop(self, line, *names)

    def check_time(self) -> None:
        if time.monotonic() > self.deadline:
            raise BudgetExceeded(self.seconds)

    def carried(self, values: Values, written: int) -> Values:
        """Numbers that a loop or a branch assigns become tensors, as in the compiler."""
        return tuple(
            self.to_tensor(value) if position < written and _is_number(value) else value
            for position, value in enumerate(values)
        )


def _is_number(value: Any) -> bool:
    if isinstance(value, tl.constexpr):
        value = value.value
    return isinstance(value, (int, float))
