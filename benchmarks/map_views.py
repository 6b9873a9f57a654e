# ruff: noqa: N803 - constexpr parameters are written in capitals
"""Views of the access map of a launch with 1,000,000 programs: how long each takes to be made.

    python benchmarks/map_views.py

The launches are real, run and recorded in lockstep: an addition of 16 million floats in blocks of 16, whose programs
stand in memory in their order, and a transpose of as many in tiles of 4 × 4, whose programs don't. A view is what the
map asks for when the learner moves: a tile of a screen's cells, at every zoom, for a program at either end and in the
middle, with each overlay, in linear memory and as a matrix. Prints the median and the slowest in ms; exits 1 when the
slowest is over the limit.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from functools import partial
from statistics import median

import torch
import triton
import triton.language as tl

from tritontui.analysis import tile
from tritontui.analysis.trace import Trace
from tritontui.engine.messages import Overlay, Plane, TileRequest
from tritontui.runner.lockstep import tracing

PROGRAMS = 1_000_000
BLOCK = 16
COLUMNS = 4_000
CELLS_PER_ROW, ROWS = 180, 40
"""More than the map has on a screen of 200×60."""
LIMIT_MS = 100.0
OVERLAYS: tuple[Overlay, ...] = ("", "writes", "sectors")
TILE = 4


@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x_block = tl.load(x + offsets, mask=mask)
    y_block = tl.load(y + offsets, mask=mask)
    tl.store(out + offsets, x_block + y_block, mask=mask)


@triton.jit
def transpose_kernel(x, out, rows, columns, TILE: tl.constexpr):
    row = tl.program_id(0) * TILE + tl.arange(0, TILE)
    column = tl.program_id(1) * TILE + tl.arange(0, TILE)
    tile = tl.load(x + row[:, None] * columns + column[None, :])
    tl.store(out + column[None, :] * rows + row[:, None], tile)


def launches() -> dict[str, tuple[Trace, int]]:
    """Of each launch its trace, and the number of its store among its accesses."""
    elements = PROGRAMS * BLOCK - 5
    x, out = torch.zeros(elements), torch.zeros(elements)
    matrix, transposed = torch.zeros(COLUMNS, COLUMNS), torch.zeros(COLUMNS, COLUMNS)
    with tracing() as session:
        add_kernel[(PROGRAMS,)](x, x, out, elements, BLOCK=BLOCK)
        transpose_kernel[(COLUMNS // TILE, COLUMNS // TILE)](matrix, transposed, COLUMNS, COLUMNS, TILE=TILE)
    return dict(zip(("addition", "transpose"), zip(session.traces, (2, 1), strict=True), strict=True))


def views(site: int) -> Iterator[tuple[str, TileRequest]]:
    """What is asked for, by the kind of view."""
    elements, cells = PROGRAMS * BLOCK, CELLS_PER_ROW * ROWS
    rows = elements // COLUMNS
    whole_linear, whole_plane = -(-elements // cells), (-(-rows // ROWS), -(-COLUMNS // CELLS_PER_ROW))
    for overlay in OVERLAYS:
        for program in (0, PROGRAMS // 2, PROGRAMS - 1):
            ask = partial(
                TileRequest, run=1, request=1, launch=0, site=site, program=program, cells=cells, overlay=overlay
            )
            for zoom in (1, 16, 256, whole_linear):
                first = min(program * BLOCK, max(0, elements - cells * zoom))
                yield f"linear {overlay or 'who'}", ask(first=first, zoom=zoom)
            for row_zoom, column_zoom in ((1, 1), (16, 16), whole_plane):
                first_row = min(program * BLOCK // COLUMNS, max(0, rows - ROWS * row_zoom))
                plane = Plane(
                    base=0,
                    row_stride=COLUMNS,
                    column_stride=1,
                    rows=rows,
                    columns=COLUMNS,
                    first_row=first_row,
                    first_column=0,
                    row_zoom=row_zoom,
                    column_zoom=column_zoom,
                    width=CELLS_PER_ROW,
                )
                yield f"matrix {overlay or 'who'}", ask(first=0, zoom=1, plane=plane)


def main() -> int:
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    times: dict[str, list[float]] = {}
    for name, (trace, store) in launches().items():
        for kind, request in views(store):
            began = time.perf_counter()
            tile(trace, request)
            times.setdefault(f"{name}, {kind}", []).append((time.perf_counter() - began) * 1e3)
    print(f"{PROGRAMS:,} programs, tiles of {CELLS_PER_ROW}×{ROWS} cells, limit {LIMIT_MS:.0f} ms")
    print(f"{'view':<26} {'median ms':>10} {'slowest ms':>11}")
    for kind, taken in times.items():
        print(f"{kind:<26} {median(taken):>10.1f} {max(taken):>11.1f}")
    return 1 if max(map(max, times.values())) > LIMIT_MS else 0


if __name__ == "__main__":
    sys.exit(main())
