"""What the compiler made of a kernel."""

from __future__ import annotations

from msgspec import Struct


class ListingRequest(Struct, tag=True, kw_only=True):
    """One of the compiler's listings of a kernel that ``run`` compiled."""

    run: int
    request: int
    kernel: str
    """As its report calls it: a script's run compiles several."""
    build: int = 0
    """``CompilerReport.build``."""
    kind: str
    """``ttir``, ``ttgir``, ``llir``, ``ptx``, ``amdgcn`` or ``sass``."""


class Listing(Struct, tag=True, kw_only=True):
    """A listing, line by line, and where each line came from."""

    run: int
    request: int
    kind: str
    lines: list[str]
    sources: list[int]
    """Line of the learner's file behind each line, 0 where none is known."""


class AccessWidth(Struct, kw_only=True):
    line: int
    op: str
    bits: int
    """Bits that one thread moves with one instruction."""


class CompilerReport(Struct, kw_only=True):
    kernel: str
    build: int = 0
    """Which of the binaries that the run made of the kernel, one for each specialisation of its arguments."""
    target: str
    registers: int | None
    spill_bytes: int | None
    shared_bytes: int
    num_warps: int
    num_stages: int
    occupancy: float | None
    """Theoretical, 0…1."""
    occupancy_limit: str | None
    """``registers``, ``shared memory``, ``warps`` or ``blocks``."""
    widths: list[AccessWidth]
    seconds: float
    listings: dict[str, int]
    """Listings that can be asked for, and their lines: ``ttir``, ``ttgir``, ``llir``, ``ptx`` or ``amdgcn``; and
    ``sass`` with 0 lines, since it takes half a second and is made when asked for."""


class Compiled(Struct, tag=True):
    run: int
    report: CompilerReport
    launches: list[int] = []
    """Of a script: those that run this binary."""
