"""Global memory of a launch: every access has an owner and is checked before it touches anything.

Each tensor argument gets a made-up address, far from every other: a lane that runs wild can't land in a neighbour.
Wild lanes are masked off and recorded, never executed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tritontui.analysis.trace import Op
from tritontui.runner.lockstep.control import Control
from tritontui.runner.lockstep.dtypes import (
    decode,
    element_bytes,
    encode,
    extreme,
    memory_dtype,
    register_dtype,
)
from tritontui.runner.lockstep.location import Locator
from tritontui.runner.lockstep.options import TraceOptions
from tritontui.runner.lockstep.padding import padding_of
from tritontui.runner.lockstep.recorder import Recorder, whereabouts
from tritontui.runner.lockstep.storage import FIRST_ADDRESS, SLOT_BITS, Argument, as_vector
from tritontui.runner.lockstep.suspects import Suspects
from tritontui.runner.lockstep.values import Handle

Array = NDArray[Any]


class Memory:
    """Guarded loads and stores of the active programs, recorded."""

    def __init__(
        self, control: Control, recorder: Recorder, locator: Locator, options: TraceOptions, rollback: bool
    ) -> None:
        self.control = control
        self.recorder = recorder
        self.locator = locator
        self.options = options
        self.rollback = rollback
        self.arguments: list[Argument] = []
        self.owner_at: Callable[[int, Any], Argument | None] = lambda _address, _dtype: None
        """Finds the tensor behind a real address."""
        self._other_sizes: dict[tuple[int, int], Argument] = {}
        self.suspects = Suspects(control, recorder, locator)

    # ------------------------------------------------------------ loads

    def load(
        self,
        pointer: Handle,
        mask: Handle | None,
        other: Handle | None,
        *,
        operation: Op = "load",
        padded: bool = False,
    ) -> Handle:
        """Values at ``pointer``; masked-off lanes give ``other``, or the session's fill.

        ``padded``: lanes masked off are defined to be zero (a descriptor's own bounds).
        """
        dtype = pointer.dtype.element_ty
        active = None if mask is None else mask.data
        if active is not None and active.all():
            active = None
        values: Array | None = None
        for owner, offsets, lanes in self.by_owner(pointer, active):
            use = lanes if pointer.owner is None else active
            index, out = self.guard(owner, pointer, offsets, use)
            if owner is not None:
                found = self._gather(owner, dtype, index, offsets, use, out)
                values = found if values is None or lanes is None else np.where(lanes, found, values)
            self.note(
                operation,
                owner,
                pointer,
                offsets,
                None if mask is None else mask.data,
                lanes,
                out,
                None,
                mask is not None,
                has_other=other is not None or padded,
            )
        self.control.read_sum += int(pointer.data.flat[0]) + 1 if pointer.data.size else 0
        if values is None:
            values = np.zeros((1,) * (len(pointer.shape) + 1), register_dtype(dtype))
        if active is not None:
            values = np.where(active, values, self._fill(dtype, other, padded))
            if values.dtype != register_dtype(dtype):
                values = values.astype(register_dtype(dtype))
        taint = None
        if self.options.follow_padding:
            given = None if padded else active
            taint = padding_of(self.suspects.births, self.locator.here(), given, other, values.ndim)
        return Handle(values, dtype, pointer.shape, taint=taint)

    def _gather(
        self, owner: Argument, dtype: Any, index: Array, offsets: Array, active: Array | None, out: Array | None
    ) -> Array:
        """Registers at ``index``; lanes that are outside give zero where active, and anything elsewhere."""
        elements = owner.elements(memory_dtype(dtype))
        if not len(elements):
            return np.zeros(index.shape, register_dtype(dtype))
        found = decode(elements.take(index, mode="clip"), dtype)
        if out is not None:
            found = np.where(out, found.dtype.type(0), found)
        written = owner.written_elements()
        if written is not None:
            unwritten = ~written.take(index, mode="clip")
            if out is not None:
                unwritten = unwritten & ~out
            if active is not None:
                unwritten = unwritten & active
            if unwritten.any():
                partly = bool(written.any())
                self._lanes_event("uninitialised-read", unwritten, offsets, tensor=owner.name, partly=partly)
        return found

    def _fill(self, dtype: Any, other: Handle | None, padded: bool) -> Any:
        if other is not None:
            return other.data
        if padded or self._zero_here():
            return register_dtype(dtype).type(0)
        return extreme(dtype, self.options.masked_fill == "high")

    def _zero_here(self) -> bool:
        options = self.options
        if options.masked_fill == "zero":
            return True
        return bool(options.masked_fill_lines) and self.locator.here()[0] not in options.masked_fill_lines

    # ------------------------------------------------------------ stores

    def store(self, pointer: Handle, value: Handle, mask: Handle | None, *, operation: Op = "store") -> None:
        """Write ``value`` where ``mask`` allows; of lanes that write one element, the last program's last lane wins."""
        dtype = pointer.dtype.element_ty
        active = None if mask is None else mask.data
        if active is not None and active.all():
            active = None
        for owner, offsets, lanes in self.by_owner(pointer, active):
            use = lanes if pointer.owner is None else active
            index, out = self.guard(owner, pointer, offsets, use)
            if owner is not None:
                allowed = use if out is None else ~out if use is None else use & ~out
                self.scatter(owner, dtype, index, value.data, allowed)
            recorded = None if mask is None else mask.data
            self.note(operation, owner, pointer, offsets, recorded, lanes, out, value.full(), mask is not None)
        if value.taint is not None:
            self.suspects.reached(value, active, "store", pointer.owner)

    def scatter(self, owner: Argument, dtype: Any, index: Array, values: Array, allowed: Array | None) -> None:
        """Write registers ``values`` at element ``index`` of ``owner`` where ``allowed``."""
        self.about_to_write(owner)
        elements = owner.elements(memory_dtype(dtype))
        raw = encode(values, dtype)
        written = owner.written_elements()
        if allowed is None:
            shape = np.broadcast_shapes(index.shape, raw.shape)
            where = index if index.shape == shape else np.broadcast_to(index, shape)
        else:
            shape = np.broadcast_shapes(index.shape, raw.shape, allowed.shape)
            chosen = np.broadcast_to(allowed, shape)
            where = np.broadcast_to(index, shape)[chosen]
            raw = np.broadcast_to(raw, shape)[chosen]
        if not self.rollback or not np.array_equal(elements[where], np.broadcast_to(raw, where.shape)):
            self.control.writes += 1  # a loop that stores the same again and again makes no progress
        elements[where] = raw
        if written is not None:
            written[where] = True

    def about_to_write(self, owner: Argument) -> None:
        storage = owner.storage
        if self.rollback and storage.before is None:
            storage.before = storage.bytes.copy()

    def roll_back(self) -> None:
        """Undo every write since the start of the launch."""
        for storage in {id(one.storage): one.storage for one in self.arguments}.values():
            if storage.before is not None:
                storage.bytes[:] = storage.before

    # ------------------------------------------------------------ owners and guards

    def by_owner(self, pointer: Handle, active: Array | None) -> Iterator[tuple[Argument | None, Array, Array | None]]:
        """The access split by tensor: owner, element offsets, and which lanes are its (None: all).

        Lanes that point into no tensor come last, with owner None and byte addresses for offsets.
        """
        if pointer.owner is not None:
            yield pointer.owner, pointer.data, None
            return
        addresses = pointer.data
        size = element_bytes(pointer.dtype.element_ty)
        slots = (addresses - FIRST_ADDRESS + (1 << (SLOT_BITS - 1))) >> SLOT_BITS
        shape = addresses.shape if active is None else np.broadcast_shapes(addresses.shape, active.shape)
        wanted = np.ones(shape, np.bool_) if active is None else np.broadcast_to(active, shape)
        taken = np.zeros(shape, np.bool_)
        for slot in np.unique(np.broadcast_to(slots, shape)[wanted]):
            if not 1 <= slot <= len(self.arguments):
                continue
            owner = self.arguments[int(slot) - 1]
            if owner.itemsize != size:
                owner = self._resized(owner, pointer.dtype.element_ty)
            lanes = wanted & (slots == slot)
            taken |= lanes
            yield owner, (addresses - owner.address) // size, lanes
        rest = wanted & ~taken
        while rest.any():
            address = int(np.broadcast_to(addresses, shape)[rest].flat[0])
            found = self.owner_at(address, pointer.dtype.element_ty)
            if found is None:
                yield None, addresses, rest
                return
            offsets = (addresses - found.address) // size
            lanes = rest & (offsets >= found.first) & (offsets < found.end)
            rest = rest & ~lanes
            yield found, offsets, lanes

    def _resized(self, owner: Argument, dtype: Any) -> Argument:
        """The same tensor seen through a pointer to elements of another size: to the trace, one more tensor."""
        key = (owner.index, element_bytes(dtype))
        if key not in self._other_sizes:
            index = len(self.recorder.tensors)
            resized = Argument(index, owner.name, dtype, owner.storage, owner.first_byte, 0)
            resized.address = owner.address
            self.recorder.tensors.append(as_vector(self.recorder.tensors[owner.index], resized))
            self._other_sizes[key] = resized
        return self._other_sizes[key]

    def guard(
        self, owner: Argument | None, pointer: Handle, offsets: Array, active: Array | None
    ) -> tuple[Array, Array | None]:
        """Element indices, and which active lanes are outside (None: none); indices of other lanes may be anything."""
        if pointer.taint is not None:
            self.suspects.reached(pointer, active, "address", owner)
        if owner is None:
            return offsets, active
        low, high = pointer.low, pointer.high
        inside = low is not None and high is not None and owner.first <= low and high < owner.end
        index = offsets if owner.first == 0 else offsets - owner.first
        if (inside and pointer.owner is owner) or not _reaches_out(offsets, owner):
            return index, None
        outside = index.view(np.uint64) >= np.uint64(owner.end - owner.first)
        out = outside if active is None else outside & active
        return index, out if out.any() else None

    # ------------------------------------------------------------ notes

    def note(
        self,
        operation: Op,
        owner: Argument | None,
        pointer: Handle,
        offsets: Array,
        mask: Array | None,
        lanes: Array | None,
        out: Array | None,
        values: Array | None,
        has_mask: bool,
        has_other: bool = False,
        atomic: str = "",
        semantic: str = "acq_rel",
    ) -> None:
        """Record one execution; ``lanes`` are those of ``owner`` where a pointer mixes tensors (None: all)."""
        recorder, control = self.recorder, self.control
        if not recorder.keep:
            return
        if offsets.shape[1:] != pointer.shape:
            offsets = np.broadcast_to(offsets, (offsets.shape[0], *pointer.shape))
        recorder.access(
            operation,
            self.locator.here(),
            -1 if owner is None else owner.index,
            control.active,
            tuple(control.iterations),
            offsets,
            mask if lanes is None else lanes,
            out,
            values,
            has_mask,
            has_other,
            atomic,
            semantic,
        )

    def _lanes_event(self, kind: str, lanes: Array, offsets: Array | None = None, **params: Any) -> None:
        programs, ranges = whereabouts(lanes, self.control.active)
        if offsets is not None:
            shape = np.broadcast_shapes(offsets.shape, lanes.shape)
            params["first_offset"] = int(np.broadcast_to(offsets, shape)[np.broadcast_to(lanes, shape)].flat[0])
        params["count"] = int(np.count_nonzero(lanes))
        self.recorder.event(kind, self.locator.here(), programs, ranges, **params)


def _reaches_out(offsets: Array, owner: Argument) -> bool:
    return bool(offsets.size) and (int(offsets.min()) < owner.first or int(offsets.max()) >= owner.end)
