"""One program's way through the kernel, line by line."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from tritontui.diagnosis.finding import LaneRange

Seek = Literal["change", "line", "over", "out", "born"]
"""The next step that changes the name, that stands on the same line, that is not deeper in device functions, that is
back in the caller, or at which NaN or infinity first appears."""


class StepsRequest(Struct, tag=True, kw_only=True):
    """One program's way through the kernel: the steps in view, and every name as it stands after one of them."""

    run: int
    request: int
    launch: int
    program: int
    """Linear id."""
    step: int
    """The step to stand at, brought within what there is; with ``seek``, the one to look from."""
    seek: Seek | None = None
    back: bool = False
    """Look towards the beginning."""
    name: str | None = None
    """The name whose lanes are wanted; None, or a name that isn't there: what the step changed, else the first."""
    lane: int = 0
    rows: int = 1
    columns: int = 8
    """Lanes in view: rows of the block, or of its only axis folded."""
    first: int = 0
    count: int = 0
    """Steps in view, from ``first`` on; moved by whole pages to hold ``step``."""


class StepLine(Struct, array_like=True):
    """One step: a line that the program executed."""

    step: int
    line: int
    """In the learner's file; 0: in another file."""
    text: str
    depth: int
    """0 in the kernel, 1 in a device function that it calls, and so on."""
    function: str
    kind: str
    """``enter``, ``line``, ``load``, ``loop``, ``branch``, ``return``, ``stopped``: see ``analysis.recording.Kind``."""
    iteration: list[int]
    changed: list[str]


class NameState(Struct, kw_only=True):
    """A name after the step; lanes count row by row."""

    name: str
    dtype: str
    shape: list[int]
    values: list[str]
    """Of the first lanes, or what a scalar, a pointer, a descriptor or a constexpr is."""
    lowest: str = ""
    highest: str = ""
    """Over all lanes that hold a number; "" where there are none, or only one."""
    nans: int = 0
    infinities: int = 0
    trues: int | None = None
    """Of a block of bools: how many lanes are true."""
    off: int = 0
    """Lanes that the load behind this value left out."""
    born: int
    """The step that gave it this value."""
    before: str = ""
    """Of a scalar that this step changed: what it was."""
    new: bool = False
    """This step gave it its first value."""
    changed: int = 0
    """Lanes that this step changed."""
    changed_ranges: list[LaneRange] = []
    """The first few runs of them."""


class LaneCell(Struct, array_like=True):
    """One lane of a block."""

    text: str
    state: Literal["on", "off", "out"]
    """Left out by the mask of the line's load or store; on, but outside the tensor."""
    changed: bool
    """By this step, from another value."""
    special: bool
    """NaN or infinite."""


class LaneRow(Struct, array_like=True):
    """Neighbouring lanes."""

    lane: int
    """Linear number of the first."""
    index: list[int]
    """Its place in the block."""
    cells: list[LaneCell]


class Lanes(Struct, kw_only=True):
    """Lanes of one name around the selected one."""

    name: str
    lane: int
    index: list[int]
    exact: str
    """The selected lane's value with all its digits."""
    total: int
    rows: list[LaneRow]


class Touched(Struct, kw_only=True):
    """A load, store or atomic that the step made."""

    op: Literal["load", "store", "atomic"]
    tensor: str
    on: int
    off: int
    out: int
    """Lanes: active, masked off, active outside the tensor."""


class Birth(Struct, kw_only=True):
    """The first step after which some lane of a name, not masked off, is NaN or infinite."""

    what: Literal["nan", "inf"]
    step: int
    name: str
    lanes: list[LaneRange]


class Steps(Struct, tag=True, kw_only=True):
    """A program's way through the kernel, standing at ``step``."""

    run: int
    request: int
    program: int
    step: int
    total: int
    """Steps of this program; 0: it isn't among those kept."""
    here: StepLine | None = None
    taken: bool | None = None
    """Of a branch, or a loop that goes on or ends: what the condition was."""
    calls: list[str] = []
    """The kernel, and the device functions entered from it."""
    names: list[NameState] = []
    """Of the innermost function, in the order of their first values; then what a return gave back."""
    lanes: Lanes | None = None
    touched: list[Touched] = []
    births: list[Birth] = []
    first: int = 0
    lines: list[StepLine] = []
    """The steps in view."""
    complete: bool = True
    """False: there was no room for the kernel's later steps."""
    kept: list[LaneRange] = []
    """Programs whose steps are kept, as ranges."""
