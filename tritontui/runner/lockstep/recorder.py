"""Keeps what a launch did, in the form that analysis reads (``analysis.trace``)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tritontui.analysis.compact import arrays_of, compact
from tritontui.analysis.trace import Access, Event, Op, Site, Tensor
from tritontui.runner.lockstep.location import Place

Array = NDArray[Any]
EVENTS_PER_PLACE = 4
MOST_ACCESSES = 1 << 15
"""Of one launch. A loop without end makes thousands in a second, and each takes the analysis up to a millisecond."""
LARGE_ACCESS = 1 << 23
"""Bytes of offsets from which an access is worth the time of making it small."""


class Recorder:
    """Sites, accesses and events of one launch; accesses stop when there are MOST_ACCESSES, or when their arrays fill
    ``memory_bytes``."""

    def __init__(self, keep: bool, memory_bytes: int) -> None:
        self.keep = keep
        self.room = memory_bytes
        self.tensors: list[Tensor] = []
        self.sites: list[Site] = []
        self.accesses: list[Access] = []
        self.events: list[Event] = []
        self.complete = True
        self.covered = ""
        self.recorded_to: int | None = None
        self._site_of: dict[tuple[Any, ...], int] = {}
        self._counted: dict[int, Array] = {}
        self._events_at: dict[tuple[str, Place], int] = {}
        self._order = 0

    def access(
        self,
        op: Op,
        place: Place,
        tensor: int,
        programs: NDArray[np.intp],
        iteration: tuple[int, ...],
        offsets: Array,
        mask: Array | None,
        out: Array | None,
        values: Array | None,
        has_mask: bool,
        has_other: bool,
        atomic: str = "",
        semantic: str = "acq_rel",
    ) -> None:
        """Note one execution of a load, store or atomic. ``offsets``: (P or 1, *lanes)."""
        self._order += 1
        if not self.keep:
            return
        lane_shape = offsets.shape[1:]
        key = (place, op, tensor, lane_shape, has_mask, has_other)
        site = self._site_of.get(key)
        if site is None:
            site = self._site_of[key] = len(self.sites)
            self.sites.append(Site(place[0], place[1], op, tensor, lane_shape, has_mask, has_other))
        access = Access(
            site, iteration, programs, offsets, mask, out, values, self._order, atomic=atomic, semantic=semantic
        )
        if offsets.nbytes > LARGE_ACCESS:
            access = self._small(access)
        for array in arrays_of(access):
            self._count(array)
        if self.room < 0 or len(self.accesses) >= MOST_ACCESSES:
            self._stop(place, programs, iteration)
            return
        self.accesses.append(access)

    def _small(self, access: Access) -> Access:
        """A large access without what can be derived, and without its values where they would take too much room."""
        small = compact(access)
        if small.values is not None and small.values.nbytes > self.room // 8:
            small.values = None
        return small

    def event(
        self,
        kind: str,
        place: Place,
        programs: tuple[int, ...],
        lanes: tuple[tuple[int, int], ...] = (),
        **params: Any,
    ) -> None:
        """Note something noticed while running; the first few of a kind at one place are kept."""
        seen = self._events_at.get((kind, place), 0)
        if seen < EVENTS_PER_PLACE:
            self._events_at[kind, place] = seen + 1
            self.events.append(Event(kind, place[0], place[1], programs, lanes, params))

    def mark(self) -> tuple[int, int, int]:
        """A point to come back to."""
        return len(self.accesses), len(self.events), self._order

    def back_to(self, mark: tuple[int, int, int]) -> None:
        """Forget the accesses and events since ``mark``: what did them is run again."""
        accesses, events, self._order = mark
        del self.accesses[accesses:]
        del self.events[events:]
        self._events_at.clear()

    def clear(self) -> None:
        """Forget everything: the launch is run again from its beginning."""
        self.back_to((0, 0, 0))

    def _count(self, array: Array | None) -> None:
        if array is None:
            return
        base = array if array.base is None else array.base
        if isinstance(base, np.ndarray) and id(base) not in self._counted:
            self._counted[id(base)] = base
            self.room -= base.nbytes

    def _stop(self, place: Place, programs: NDArray[np.intp], iteration: tuple[int, ...]) -> None:
        self.keep = False
        self.complete = False
        self.recorded_to = place[0]
        where = f"line {place[0]}" + (f", iteration {iteration[-1]}" if iteration else "")
        self.covered = f"recorded up to {where}, programs {int(programs[0])} to {int(programs[-1])}"


def whereabouts(lanes: Array, active: NDArray[np.intp]) -> tuple[tuple[int, ...], tuple[tuple[int, int], ...]]:
    """The first of the ``active`` programs with a set lane (the first 16 where all are alike), and its lanes in ranges.

    ``lanes``: bool, shape (P, *block), or (1, *block) where all programs are alike; at least one is set.
    """
    row = int(np.flatnonzero(lanes.reshape(lanes.shape[0], -1).any(axis=1))[0])
    programs = active if lanes.shape[0] == 1 else active[[row]]
    return tuple(int(one) for one in programs[:16]), lane_ranges(lanes[row].reshape(-1))


def lane_ranges(lanes: Array, limit: int = 8) -> tuple[tuple[int, int], ...]:
    """First and last lane of each run of set lanes in a flat bool array, at most ``limit`` runs."""
    where = np.flatnonzero(lanes)
    if not len(where):
        return ()
    cuts = np.flatnonzero(np.diff(where) > 1)
    firsts = where[np.concatenate([[0], cuts + 1])][:limit]
    lasts = where[np.concatenate([cuts, [len(where) - 1]])][:limit]
    return tuple((int(first), int(last)) for first, last in zip(firsts, lasts, strict=True))
