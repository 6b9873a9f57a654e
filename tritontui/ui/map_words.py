"""What the map says in words: which access is shown, how, what the signs mean, and the selected lane's arithmetic."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from textual.content import Content

from tritontui.engine.messages import Inspection, Overlay, SectorTraffic, Tile
from tritontui.i18n import N_, Translator
from tritontui.ui.map_signs import (
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
from tritontui.ui.memory_map import Access, Selection, Window, coordinates, find
from tritontui.ui.tensor_shape import ShapeWindow, slice_index, slices
from tritontui.ui.words import lanes_words, program_words

OPS = {"load": N_("load"), "store": N_("store"), "atomic": N_("atomic")}
OVERLAYS: dict[Overlay, str] = {
    "": N_("who touches it"),
    "writes": N_("how often it is written"),
    "sectors": N_("sectors that move"),
}
KEY = "bold $secondary"
WORD = "$muted"


def program_name(access: Access, program: int) -> str:
    """``3`` in a grid of one axis, ``(0, 3)`` in one of several."""
    if len(access.launch.grid) == 1:
        return str(program)
    return program_words(coordinates(access, program))


def chooser(every: Sequence[Access], access: Access, at: Selection, tr: Translator) -> Content:
    """Which launch, site and program of how many."""
    site, launch = access.site, access.launch
    launches = sorted({one.launch.launch for one in every})
    parts: list[tuple[str, str]] = []
    if len(launches) > 1:
        number = launches.index(launch.launch) + 1
        words = tr("launch {number}/{total}", number=number, total=len(launches))
        parts += [("j ", KEY), (f"{words} {launch.kernel}", WORD), (" · ", WORD)]
    parts += [(f"{tr(OPS[site.op])} ", WORD), (site.tensor, "bold"), (" · " + tr("line {line}", line=site.line), WORD)]
    own = [one for one in every if one.launch.launch == launch.launch]
    parts.append((f"  {(find(own, at) or 0) + 1}/{len(own)}", "$faint"))
    grid = "×".join(map(str, launch.grid)) if len(launch.grid) > 1 else str(access.programs)
    program = tr("program {program} of {programs}", program=program_name(access, at.program), programs=grid)
    return Content.assemble(*parts, (f"   {program}", "bold $primary"))


def options(
    access: Access,
    window: Window | ShapeWindow | None,
    tile: Tile | None,
    at: Selection,
    overlay: Overlay,
    shaped: bool,
    number: int,
    tr: Translator,
) -> Content:
    """How it is drawn; each choice stands behind the key that changes it."""
    parts: list[tuple[str, str]] = []
    tensor = access.tensor
    if shaped and tensor is not None:
        size = "×".join(map(str, tensor.shape))
        words = tr("shape {shape}", shape=size) if isinstance(window, ShapeWindow) else tr("memory")
        parts += [("m ", KEY), (f"{words}   ", WORD)]
        if isinstance(window, ShapeWindow) and slices(access) > 1:
            index = ", ".join(map(str, slice_index(access, number)))
            parts += [("c ", KEY), (tr("slice [{index}, :, :]", index=index) + "   ", WORD)]
    executions = tile.executions if tile is not None else access.site.executions
    if executions > 1:
        words = tr("all {n} iterations", n=executions)
        if at.execution is not None:
            words = tr("iteration {number}/{total}", number=at.execution + 1, total=executions)
        parts += [("i ", KEY), (f"{words}   ", WORD)]
    parts += [("o ", KEY), (f"{tr(OVERLAYS[overlay])}   ", WORD)]
    return Content.assemble(*parts, (zoom_words(window, tr), WORD))


def zoom_words(window: Window | ShapeWindow | None, tr: Translator) -> str:
    """``1 cell = 2 × 8 elements``; nothing where a cell is one element."""
    if isinstance(window, Window) and window.zoom > 1:
        return tr("1 cell = {zoom} elements", zoom=window.zoom)
    if isinstance(window, ShapeWindow) and (window.row_zoom > 1 or window.column_zoom > 1):
        return tr("1 cell = {zoom} elements", zoom=f"{window.row_zoom}×{window.column_zoom}")
    return ""


# ---------------------------------------------------------------- legend


def legend(
    access: Access, overlay: Overlay, tile: Tile | None, window: Window | ShapeWindow | None, at: Selection,
    tr: Translator,
) -> Content:  # fmt: skip
    """What the signs mean: those that this site may need, whatever the program."""
    signs = _overlay_signs(overlay, tr) if overlay else _signs(access, tile, bool(zoom_words(window, tr)), at, tr)
    parts = [piece for glyph, style, words in signs for piece in ((glyph, style), (f" {words}  ", WORD))]
    if overlay == "sectors" and tile is not None and tile.traffic is not None:
        parts.append((" " + traffic_words(tile.traffic, tr), "bold"))
    return Content.assemble(*parts)


def _signs(
    access: Access, tile: Tile | None, zoomed: bool, at: Selection, tr: Translator
) -> Iterator[tuple[str, str, str]]:
    yield SELECTED, "bold $selected", tr("this program")
    if zoomed:
        yield EDGE, "bold $selected", tr("in part")
    if at.execution is not None:
        yield AGAIN, "$selected", tr("other iterations")
    yield EVEN + ODD, "$pid-0", tr("others")
    if tile is not None and any(cell.programs > 1 for cell in tile.cells):
        yield SHARED, "$secondary", tr("several")
    if access.site.lanes_off:
        yield MASKED, "$accent", tr("masked off")
    if access.site.lanes_out:
        yield OUT, "bold $error", tr("outside")
    yield LANE, "bold $selected", tr("lane")


def _overlay_signs(overlay: Overlay, tr: Translator) -> Iterator[tuple[str, str, str]]:
    if overlay == "writes":
        yield UNTOUCHED, "bold $accent", tr("never")
        yield PARTLY, "$accent", tr("in part")
        yield ONCE, "$pid-0", tr("once")
        yield "2…9 +", "bold $error", tr("more than once")
        yield OUT, "bold $error", tr("outside")
    else:
        yield SELECTED, "bold $selected", tr("used")
        yield WASTED, "$error", tr("moved for nothing")


def traffic_words(traffic: SectorTraffic, tr: Translator) -> str:
    """The sectors of the program's access in figures, short enough to stand beside the signs."""
    moved = traffic.moved_bytes
    wasted = max(moved - traffic.used_bytes, 0)
    return tr.plural(
        "{n} sector, at best {ideal}: {share} wasted",
        "{n} sectors, at best {ideal}: {share} wasted",
        traffic.sectors,
        ideal=traffic.ideal,
        share=f"{wasted / moved:.0%}" if moved else "0%",
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
