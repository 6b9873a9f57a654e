"""What the map says in words: which access is shown, how, what the signs mean, and the selected lane's arithmetic."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from textual.content import Content

from tritontui.engine.messages import Inspection, Overlay, SectorTraffic, Tile
from tritontui.i18n import N_, Translator, percent
from tritontui.ui.map.memory import Access, Selection, Window, coordinates, find
from tritontui.ui.map.signs import (
    AGAIN,
    EDGE,
    EVEN,
    LANE,
    MASKED,
    ODD,
    ONCE,
    OUT,
    PARTLY,
    SELECTED,
    SHARED,
    UNTOUCHED,
    WASTED,
)
from tritontui.ui.map.tensor_shape import ShapeWindow, slice_index, slices
from tritontui.ui.views.words import lanes_words, program_words

OPS = {"load": N_("load"), "store": N_("store"), "atomic": N_("atomic")}
OVERLAYS: dict[Overlay, str] = {
    "": N_("who touches it"),
    "writes": N_("how often it is written"),
    "sectors": N_("sectors that move"),
}
OVERLAYS_SHORT: dict[Overlay, str] = {"": N_("who"), "writes": N_("writes"), "sectors": N_("sectors")}
"""The same where room is short."""
KEY = "bold $secondary"
WORD = "$muted"


def program_name(access: Access, program: int) -> str:
    """``3`` in a grid of one axis, ``(0, 3)`` in one of several."""
    if len(access.launch.grid) == 1:
        return str(program)
    return program_words(coordinates(access, program))


class Piece(NamedTuple):
    """One thing that a line says, with the key that changes it before it; ``short`` where not all has room."""

    parts: tuple[tuple[str, str], ...]
    short: tuple[tuple[str, str], ...]
    gap: str = "   "
    """Before it, unless it is the first; one blank where room is short."""


def in_room(pieces: Sequence[Piece], room: int) -> Content:
    """All pieces in ``room`` columns: as many of them shortened, from the last one back, as it takes."""
    line = Content("")
    for shortened in range(len(pieces) + 1):
        line = Content("")
        for number, piece in enumerate(pieces):
            short = number >= len(pieces) - shortened
            gap = "" if not number else piece.gap if not shortened else " " * min(2, len(piece.gap))
            line = Content.assemble(line, gap, *(piece.short if short else piece.parts))
        if line.cell_length <= room:
            return line
    return line


def chooser(every: Sequence[Access], access: Access, at: Selection, tr: Translator, room: int) -> Content:
    """Which launch, site and program of how many."""
    site, launch = access.site, access.launch
    launches = sorted({one.launch.launch for one in every})
    pieces = []
    if len(launches) > 1:
        place, total = launches.index(launch.launch) + 1, len(launches)
        words = f"{tr('launch {number}/{total}', number=place, total=total)} {launch.kernel} ·"
        pieces.append(Piece((("j ", KEY), (words, WORD)), (("j ", KEY), (f"{place}/{total} ·", WORD))))
    own = [one for one in every if one.launch.launch == launch.launch]
    number = (f"  {(find(own, at) or 0) + 1}/{len(own)}", "$faint")
    op, line = (f"{tr(OPS[site.op])} ", WORD), " · " + tr("line {line}", line=site.line)
    pieces.append(Piece((op, (site.tensor, "bold"), (line, WORD), number), (op, (site.tensor, "bold"), number), " "))
    grid = "×".join(map(str, launch.grid)) if len(launch.grid) > 1 else str(access.programs)
    name = program_name(access, at.program)
    words = tr("program {program} of {programs}", program=name, programs=grid)
    pieces.append(Piece(((words, "bold $primary"),), ((f"pid {name}/{grid}", "bold $primary"),)))
    return in_room(pieces, room)


def options(
    access: Access,
    window: Window | ShapeWindow | None,
    tile: Tile | None,
    at: Selection,
    overlay: Overlay,
    shaped: bool,
    number: int,
    tr: Translator,
    room: int,
) -> Content:
    """How it is drawn; each choice stands behind the key that changes it."""
    pieces = []

    def choice(key: str, words: str, short: str) -> None:
        pieces.append(Piece(((f"{key} ", KEY), (words, WORD)), ((f"{key} ", KEY), (short, WORD))))

    tensor = access.tensor
    if shaped and tensor is not None:
        size = "×".join(map(str, tensor.shape))
        if isinstance(window, ShapeWindow):
            choice("m", tr("shape {shape}", shape=size), size)
        else:
            choice("m", tr("memory"), tr("memory"))
        if isinstance(window, ShapeWindow) and slices(access) > 1:
            index = ", ".join(map(str, slice_index(access, number)))
            choice("c", tr("slice [{index}, :, :]", index=index), f"[{index}, :, :]")
    executions = tile.executions if tile is not None else access.site.executions
    if executions > 1 and at.execution is None:
        choice("i", tr("all {n} iterations", n=executions), f"1…{executions}")
    elif executions > 1 and at.execution is not None:
        place = f"{at.execution + 1}/{executions}"
        words = tr("iteration {number}/{total}", number=at.execution + 1, total=executions)
        choice("i", words, place)
    choice("o", tr(OVERLAYS[overlay]), tr(OVERLAYS_SHORT[overlay]))
    if zoom := zoom_words(window, tr):
        pieces.append(Piece(((zoom, WORD),), ((zoom_words(window, tr, short=True), WORD),)))
    return in_room(pieces, room)


def zoom_words(window: Window | ShapeWindow | None, tr: Translator, *, short: bool = False) -> str:
    """``1 cell = 2 × 8 elements``, short: ``1 = 2 × 8``; nothing where a cell is one element."""
    zoom = ""
    if isinstance(window, Window) and window.zoom > 1:
        zoom = str(window.zoom)
    elif isinstance(window, ShapeWindow) and (window.row_zoom > 1 or window.column_zoom > 1):
        zoom = f"{window.row_zoom}×{window.column_zoom}"
    if not zoom:
        return ""
    return tr("1 cell = {zoom}", zoom=zoom) if short else tr("1 cell = {zoom} elements", zoom=zoom)


# ---------------------------------------------------------------- legend


def legend(
    access: Access, overlay: Overlay, tile: Tile | None, window: Window | ShapeWindow | None, at: Selection,
    tr: Translator, room: int,
) -> Content:  # fmt: skip
    """What the signs mean: those that this site may need, whatever the program."""
    signs = _overlay_signs(overlay, tr) if overlay else _signs(access, tile, bool(zoom_words(window, tr)), at, tr)
    pieces = [
        Piece(((glyph, style), (f" {words}", WORD)), ((glyph, style), (f" {short}", WORD)), "  ")
        for glyph, style, words, short in signs
    ]
    if overlay == "sectors" and tile is not None and tile.traffic is not None:
        words = traffic_words(tile.traffic, tr)
        pieces.append(Piece(((words, "bold"),), ((words, "bold"),)))
    return in_room(pieces, room)


def _signs(
    access: Access, tile: Tile | None, zoomed: bool, at: Selection, tr: Translator
) -> Iterator[tuple[str, str, str, str]]:
    """Glyph, style, words, and the same shorter."""
    yield SELECTED, "bold $selected", tr("this program"), tr("this one")
    if zoomed:
        yield EDGE, "bold $selected", tr("in part"), tr("in part")
    if at.execution is not None:
        yield AGAIN, "$selected", tr("other iterations"), tr("other rounds")
    yield EVEN + ODD, "$pid-0", tr("others"), tr("others")
    if tile is not None and any(cell.programs > 1 for cell in tile.cells):
        yield SHARED, "$secondary", tr("several"), tr("several")
    if access.site.lanes_off:
        yield MASKED, "$accent", tr("masked off"), tr("off")
    if access.site.lanes_out:
        yield OUT, "bold $error", tr("outside"), tr("out")
    yield LANE, "bold $selected", tr("lane"), tr("lane")


def _overlay_signs(overlay: Overlay, tr: Translator) -> Iterator[tuple[str, str, str, str]]:
    if overlay == "writes":
        yield UNTOUCHED, "bold $accent", tr("never"), tr("never")
        yield PARTLY, "$accent", tr("in part"), tr("in part")
        yield ONCE, "$pid-0", tr("once"), tr("once")
        yield "2…9 +", "bold $error", tr("more than once"), tr("more often")
        yield OUT, "bold $error", tr("outside"), tr("out")
    else:
        yield SELECTED, "bold $selected", tr("used"), tr("used")
        yield WASTED, "$error", tr("moved for nothing"), tr("for nothing")


def traffic_words(traffic: SectorTraffic, tr: Translator) -> str:
    """The sectors of the program's access in figures, short enough to stand beside the signs."""
    moved = traffic.moved_bytes
    wasted = max(moved - traffic.used_bytes, 0)
    return tr.plural(
        "{n} sector, at best {ideal}: {share} wasted",
        "{n} sectors, at best {ideal}: {share} wasted",
        traffic.sectors,
        ideal=traffic.ideal,
        share=percent(wasted / moved if moved else 0),
    )


# ---------------------------------------------------------------- the selected lane


def inspector(access: Access, at: Selection, found: Inspection | None, rows: int, tr: Translator) -> list[Content]:
    """``rows`` lines: where the lane goes and how it gets there, in the learner's names and numbers."""
    if not access.elements:
        return _filled([Content.styled(tr("No lane was active here."), WORD)], rows)
    if found is None or found.lane != at.lane:
        return _filled([], rows)
    lines = [_lane_line(access, at, found, tr)]
    if _is_stepwise(found):
        lines.append(Content("   ".join(found.steps)))
    return _filled([*lines, _names_line(found, tr)], rows)


def _lane_line(access: Access, at: Selection, found: Inspection, tr: Translator) -> Content:
    lane = str(found.lane) if len(found.lane_index) < 2 else f"({', '.join(map(str, found.lane_index))})"
    name = tr("program {program} lane {lane}", program=program_name(access, at.program), lane=lane)
    where = f"{access.site.tensor}[{', '.join(':' if i is None else str(i) for i in found.index)}]"
    offset = tr("offset {offset}", offset=found.offset) if _is_stepwise(found) else found.formula
    parts = [(f"{name}: ", WORD), (offset, "bold")]
    if not found.active:
        parts.append((f"  {MASKED} " + tr("masked off"), "$accent"))
    elif not found.inside:
        last = access.elements - 1
        words = tr("outside {tensor} (0…{last})", tensor=access.site.tensor, last=last)
        parts.append((f"  {OUT} {words}", "bold $error"))
    else:
        parts.append((f"  ✓ {where if len(found.index) > 1 else ''}".rstrip(), "$success"))
    if found.writes is not None:
        words = tr.plural("written {n} time", "written {n} times", found.writes)
        if found.writers > 1:
            words += " " + tr("by {n} programs", n=found.writers)
        parts.append((f"  {words}", "bold" if found.writes != 1 else WORD))
    return Content.assemble(*parts)


def _is_stepwise(found: Inspection) -> bool:
    """Whether the arithmetic is told axis by axis."""
    return len(found.lane_index) > 1 and len(found.steps) > 1


def _names_line(found: Inspection, tr: Translator) -> Content:
    parts = [" · ".join(f"{name} = {value}" for name, value in found.names.items())]
    if len(found.lane_index) > 1 and found.masked_lanes:
        parts.append(tr.plural("{n} lane masked off", "{n} lanes masked off", found.masked_lanes))
    elif found.masked_ranges:
        parts.append(tr("masked off: lanes {lanes}", lanes=lanes_words(found.masked_ranges)))
    if found.programs > 1:
        parts.append(tr("touched by {n} programs", n=found.programs))
    if found.out_ranges:
        parts.append(tr("outside: lanes {lanes}", lanes=lanes_words(found.out_ranges)))
    return Content.styled("   ".join(part for part in parts if part), WORD)


def _filled(lines: list[Content], rows: int) -> list[Content]:
    return [*lines, *[Content("")] * rows][:rows]
