"""The order that atomics give to the programs of a launch (vector clocks over what was really executed).

An atomic that acquires sees everything that happened before the atomics that released on the same element earlier.
So a program that finds itself the last to arrive at a counter, or that takes a lock another has given back, may read
what the others wrote; all else in a launch is unordered.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tritontui.analysis.blocks import Block, walk
from tritontui.analysis.trace import Tensor, Trace

LARGEST_CLOCKS = 1 << 24
"""Numbers kept; above this the order isn't computed."""
_RELEASES = {"release", "acq_rel"}
_ACQUIRES = {"acquire", "acq_rel"}


class TooManyAtomicsError(Exception):
    """The order would cost more than LARGEST_CLOCKS numbers."""


class HappensBefore:
    """Answers whether one access of one program happened before one of another.

    ``watched`` are the programs whose accesses will be asked about (ascending linear ids). Raises TooManyAtomicsError.
    """

    def __init__(self, trace: Trace, watched: NDArray[np.int64]) -> None:
        self._watched = watched
        synchronising = [block for block in walk(trace, "atomic") if block.access.semantic != "relaxed"]
        kept = (trace.programs + sum(len(block.programs) for block in synchronising)) * len(watched)
        if synchronising and kept > LARGEST_CLOCKS:
            raise TooManyAtomicsError
        self._clocks = np.zeros((trace.programs if synchronising else 0, len(watched)), np.int64)
        """Row p, column c: one more than the order up to which accesses of watched[c] happened before p's present."""
        self._elements: dict[tuple[int, int], NDArray[np.int64]] = {}
        self._history: list[tuple[int, NDArray[np.int64], NDArray[np.int64]]] = []
        """(order, programs, their clocks after it) of each atomic."""
        for block in synchronising:
            self._synchronise(block, trace.tensors[trace.sites[block.access.site].tensor])
        self._index()

    def ordered(
        self,
        first_program: NDArray[np.int64],
        first_order: NDArray[np.int64],
        second_program: NDArray[np.int64],
        second_order: NDArray[np.int64],
    ) -> NDArray[np.bool_]:
        """Elementwise: did the access of ``first_program`` at ``first_order`` happen before the second one's."""
        column = np.searchsorted(self._watched, first_program)
        row = np.searchsorted(self._keys, self._key(second_program, second_order), side="right") - 1
        known = (row >= 0) & (self._programs[np.maximum(row, 0)] == second_program)
        seen = np.where(known, self._rows[np.maximum(row, 0), column], 0)
        return np.asarray((first_program == second_program) | (seen > first_order))

    def _synchronise(self, block: Block, tensor: Tensor) -> None:
        access = block.access
        releases, acquires = access.semantic in _RELEASES, access.semantic in _ACQUIRES
        whole = block.every_program()
        for row, program in enumerate(whole.programs.tolist()):
            for element in np.unique(whole.offsets[row][whole.touched[row]]).tolist():
                key = (tensor.storage, (element + tensor.storage_shift) * tensor.itemsize)
                self._meet(program, key, access.order, releases, acquires)
        self._history.append((access.order, block.programs, self._clocks[block.programs].copy()))

    def _meet(self, program: int, key: tuple[int, int], order: int, releases: bool, acquires: bool) -> None:
        clock = self._clocks[program]
        left = self._elements.get(key)
        if acquires and left is not None:
            np.maximum(clock, left, out=clock)
        if releases:
            released = clock.copy()
            own = int(np.searchsorted(self._watched, program))
            if own < len(self._watched) and self._watched[own] == program:
                released[own] = order + 1  # one more than the order, so that 0 can stand for "nothing"
            self._elements[key] = released if left is None else np.maximum(left, released)

    def _index(self) -> None:
        """Sort the history by (program, order) for searching."""
        if not self._history:
            self._programs = np.full(1, -1, np.int64)
            self._rows = np.zeros((1, max(1, len(self._watched))), np.int64)
            self._keys = np.full(1, -1, np.int64)
            return
        orders = np.concatenate([np.full(len(p), order, np.int64) for order, p, _ in self._history])
        programs = np.concatenate([p for _, p, _ in self._history])
        keys = self._key(programs, orders)
        by_key = np.argsort(keys, kind="stable")
        self._programs, self._keys = programs[by_key], keys[by_key]
        self._rows = np.concatenate([rows for *_, rows in self._history])[by_key]

    @staticmethod
    def _key(programs: NDArray[np.int64], orders: NDArray[np.int64]) -> NDArray[np.int64]:
        return (programs << 32) + orders
