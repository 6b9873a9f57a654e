"""Atomic operations: lane after lane of every active program, in program order, each getting its own old value."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tritontui.runner.lockstep.control import Control
from tritontui.runner.lockstep.dtypes import decode, encode, is_rounded, memory_dtype, register_dtype, round_to
from tritontui.runner.lockstep.errors import NoProgress
from tritontui.runner.lockstep.memory import Memory
from tritontui.runner.lockstep.storage import Argument
from tritontui.runner.lockstep.values import Handle
from tritontui.runner.triton_compat import ir, tl

Array = NDArray[Any]

_ROUNDS_AT_ONCE = 48
"""Up to so many lanes on one element, all elements advance together; beyond, each element by itself."""


def _exchange(_old: Array, new: Array) -> Array:
    return new


_OPERATIONS: dict[Any, Any] = {
    ir.ATOMIC_OP.ADD: np.add,
    ir.ATOMIC_OP.FADD: np.add,
    ir.ATOMIC_OP.MIN: np.minimum,
    ir.ATOMIC_OP.UMIN: np.minimum,
    ir.ATOMIC_OP.MAX: np.maximum,
    ir.ATOMIC_OP.UMAX: np.maximum,
    ir.ATOMIC_OP.AND: np.bitwise_and,
    ir.ATOMIC_OP.OR: np.bitwise_or,
    ir.ATOMIC_OP.XOR: np.bitwise_xor,
    ir.ATOMIC_OP.XCHG: _exchange,
}

_ORDERINGS = {"ACQUIRE_RELEASE": "acq_rel", "ACQUIRE": "acquire", "RELEASE": "release", "RELAXED": "relaxed"}


def _ordering(semantic: Any) -> str:
    return _ORDERINGS.get(getattr(semantic, "name", ""), "acq_rel")


def _compare_and_swap(old: Array, expected: Array, new: Array) -> Array:
    return np.where(old == expected, new, old)


class Atomics:
    """Atomic operations of the builder."""

    control: Control
    memory: Memory

    def create_atomic_rmw(
        self, operation: Any, pointer: Handle, value: Handle, mask: Handle, semantic: Any, _scope: Any
    ) -> Handle:
        name = operation.name.lower().removeprefix("u")
        return self._atomic(
            pointer, [value], mask, _OPERATIONS[operation], "add" if name == "fadd" else name, _ordering(semantic)
        )

    def create_atomic_cas(self, pointer: Handle, compare: Handle, value: Handle, semantic: Any, _scope: Any) -> Handle:
        return self._atomic(pointer, [compare, value], None, _compare_and_swap, "cas", _ordering(semantic))

    def create_atomic_load(self, pointer: Handle, mask: Handle, _sem: Any, _scope: Any) -> Handle:
        return self.memory.load(pointer, mask, None, operation="atomic")

    def create_atomic_store(self, pointer: Handle, value: Handle, mask: Handle, _sem: Any, _scope: Any) -> None:
        self.memory.store(pointer, value, mask, operation="atomic")

    def create_atomic_poll(self, pointer: Handle, expected: Handle, timeout: Any, _sem: Any, _scope: Any) -> Handle:
        """Whether the value is there. Programs that wait for it, without a time limit, wait for another program.

        Raises ``NoProgress`` for those.
        """
        found = self.memory.load(pointer, None, None, operation="atomic")
        there = found.data == expected.data
        if not isinstance(timeout, Handle) and not there.all():
            shape = (len(self.control.active), *pointer.shape)
            waiting = self.control.active[~np.broadcast_to(there, shape).reshape(shape[0], -1).all(axis=1)]
            raise NoProgress(len(waiting), [int(one) for one in waiting[:16]])
        return Handle(there, tl.int1, pointer.shape)

    def _atomic(
        self,
        pointer: Handle,
        operands: list[Handle],
        mask: Handle | None,
        function: Any,
        name: str,
        semantic: str,
    ) -> Handle:
        """Apply ``function(old, *operands)`` lane by lane; gives the old values."""
        dtype = pointer.dtype.element_ty
        shape = (len(self.control.active), *pointer.shape)
        full = [np.broadcast_to(operand.full(), shape).reshape(-1) for operand in operands]
        full = [one.astype(register_dtype(dtype), copy=False) for one in full]
        active = None if mask is None else np.broadcast_to(mask.data, shape)
        where = pointer.like(np.broadcast_to(pointer.full(), shape), pointer.taint)
        old = np.zeros(shape, register_dtype(dtype)).reshape(-1)
        has_mask = mask is not None and not mask.data.all()
        memory = self.memory
        for owner, offsets, lanes in memory.by_owner(where, active):
            use = active if lanes is None else lanes
            index, out = memory.guard(owner, where, offsets, use)
            if owner is not None:
                allowed = np.ones(shape, np.bool_) if use is None else use
                if out is not None:
                    allowed = allowed & ~out
                chosen = np.flatnonzero(allowed.reshape(-1))
                where_to = index.reshape(-1)[chosen]
                old[chosen] = self._one_after_another(owner, dtype, where_to, [one[chosen] for one in full], function)
            stored = full[-1].reshape(shape)
            recorded = active if has_mask else None
            memory.note(
                "atomic", owner, where, offsets, recorded, lanes, out, stored, has_mask, atomic=name, semantic=semantic
            )
        result = old.reshape(shape)
        return Handle(result, dtype, pointer.shape)

    def _one_after_another(
        self, owner: Argument, dtype: Any, index: Array, operands: list[Array], function: Any
    ) -> Array:
        """Old value of each lane, in order; the elements end as the last lane leaves them."""
        if not len(index):
            return np.empty(0, register_dtype(dtype))
        elements = owner.elements(memory_dtype(dtype))
        order = np.argsort(index, kind="stable")
        ordered = index[order]
        begins = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
        counts = np.diff(np.concatenate([begins, [len(ordered)]]))
        touched = ordered[begins]
        before = decode(elements.take(touched), dtype)
        sorted_operands = [one[order] for one in operands]
        if counts.max() <= _ROUNDS_AT_ONCE:
            old, after = _by_rounds(before, begins, counts, sorted_operands, function, dtype)
        else:
            old, after = _by_element(before, begins, counts, sorted_operands, function, dtype)
        if not np.array_equal(after, before, equal_nan=True):
            self.memory.about_to_write(owner)
            elements[touched] = encode(after, dtype)
            self.control.writes += 1
        written = owner.written_elements()
        if written is not None:
            written[touched] = True
        result = np.empty_like(old)
        result[order] = old
        return result


def _by_rounds(
    before: Array, begins: Array, counts: Array, operands: list[Array], function: Any, dtype: Any
) -> tuple[Array, Array]:
    """The first lane of every element, then the second of every element that has one, and so on."""
    current = before.copy()
    old = np.empty(len(operands[0]), before.dtype)
    for turn in range(int(counts.max())):
        has = np.flatnonzero(counts > turn)
        lanes = begins[has] + turn
        held = current[has]
        old[lanes] = held
        current[has] = _rounded(function(held, *(one[lanes] for one in operands)), dtype)
    return old, current


def _by_element(
    before: Array, begins: Array, counts: Array, operands: list[Array], function: Any, dtype: Any
) -> tuple[Array, Array]:
    """Every element by itself: numpy's running accumulation where there is one, else lane by lane."""
    current = before.copy()
    old = np.empty(len(operands[0]), before.dtype)
    running = isinstance(function, np.ufunc) and not is_rounded(dtype)
    for element, (begin, count) in enumerate(zip(begins, counts, strict=True)):
        lanes = slice(begin, begin + count)
        if running:
            chain = np.concatenate([current[element : element + 1], operands[0][lanes]])
            chain = function.accumulate(chain, dtype=chain.dtype)
            old[lanes], current[element] = chain[:-1], chain[-1]
            continue
        held = current[element : element + 1]
        for lane in range(begin, begin + count):
            old[lane] = held[0]
            held = _rounded(function(held, *(one[lane : lane + 1] for one in operands)), dtype)
        current[element] = held[0]
    return old, current


def _rounded(values: Array, dtype: Any) -> Array:
    return round_to(values, dtype) if is_rounded(dtype) else values
