"""What the compiler made of a kernel, in blocks of text: resources, occupancy, the width of each access."""

from __future__ import annotations

from collections.abc import Iterator

from textual.content import Content

from tritontui.engine.messages import CompilerReport
from tritontui.i18n import N_, Translator, percent
from tritontui.ui.drawing.plots import gauge
from tritontui.ui.views.trace_words import memory_words
from tritontui.ui.widgets.findings import Line
from tritontui.ui.widgets.text_view import BLANK, Block, line

LIMITS = {
    "registers": N_("registers"),
    "shared memory": N_("shared memory"),
    "warps": N_("warps"),
    "blocks": N_("blocks"),
}
"""What may limit occupancy."""
OPS = {"load": N_("load"), "store": N_("store"), "atomic": N_("atomic")}
WIDEST = 128
"""Bits that one thread moves with one instruction at best."""


def report_blocks(report: CompilerReport, tr: Translator) -> Iterator[Block]:
    """A compiled kernel; the accesses can be chosen."""
    milliseconds = tr.number(report.seconds * 1000, 0)
    yield line(
        (report.kernel, "bold"),
        (" " + tr("for {target}, compiled in {time} ms", target=report.target, time=milliseconds), "$muted"),
    )
    yield BLANK
    rows = [
        (tr("registers per thread"), _number(report.registers)),
        (tr("spilled to memory"), _bytes(report.spill_bytes, tr)),
        (tr("shared memory"), _bytes(report.shared_bytes, tr)),
        (tr("warps"), tr("{warps}  ({threads} threads)", warps=report.num_warps, threads=report.num_warps * 32)),
        (tr("stages"), str(report.num_stages)),
    ]
    width = max(len(name) for name, _ in rows) + 2
    for name, value in rows:
        yield line((name.ljust(width), "$muted"), (value, "bold"))
    if report.occupancy is not None:
        yield line(
            (tr("occupancy").ljust(width), "$muted"),
            (gauge(report.occupancy, 16), "$primary"),
            (f" {percent(report.occupancy)} ", "bold"),
            (limit_words(report.occupancy, report.occupancy_limit, tr), "$muted"),
        )
    yield from _widths(report, tr)


def limit_words(occupancy: float, limit: str | None, tr: Translator) -> str:
    """What keeps ``occupancy``, from 0 to 1, from being more; "" where nothing does."""
    if limit is None or occupancy >= 1:
        return ""
    return tr("limited by {limit}", limit=tr(LIMITS[limit])) if limit in LIMITS else limit


def _widths(report: CompilerReport, tr: Translator) -> Iterator[Block]:
    if not report.widths:
        return
    yield BLANK
    yield line((tr("One thread moves, with one instruction"), "bold"))
    longest = max(len(tr(OPS[access.op])) for access in report.widths)
    for access in report.widths:
        words = Content.assemble(
            (tr("line {line}", line=access.line), "$muted"),
            f"  {tr(OPS[access.op]):<{longest}} ",
            (f"{access.bits:>3} bit", "bold $primary" if access.bits >= WIDEST else "bold"),
            (f"  {gauge(access.bits / WIDEST, 8)}", "$secondary"),
        )
        yield Block(words, first=Content("  "), rest=Content("    "), target=Line(access.line, None))


def _number(value: int | None) -> str:
    return "?" if value is None else str(value)


def _bytes(value: int | None, tr: Translator) -> str:
    """``196,608 B (192 KiB)``: exact, and as the limits of GPUs are given."""
    if value is None:
        return "?"
    kib = f" ({memory_words(value, tr)})" if value >= 1024 else ""
    return f"{tr.number(value)} B{kib}"
