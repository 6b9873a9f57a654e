"""Faulty kernels made from right ones, judged on the CPU: how many get a specific diagnosis, on the right line.

    python benchmarks/mutants.py [--most 2] [--every 1] [--exercise NAME …] [--kind KIND …] [--words en|it]

Takes every exercise of the course and of ``tests/runner/mutants/exercises``, at most ``--most`` mutants of one kind in
one exercise, of which it judges one in ``--every``. Prints the table, then all that falls outside; with ``--words``
also what a learner reads of each. Exits 1 when a target is missed.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # the generator lives beside the tests that use it

from tests.runner.mutants.corpus import MOST, mutants, subjects
from tests.runner.mutants.judging import Judged, judged
from tests.runner.mutants.table import Figures, outside
from tritontui.diagnosis import explain
from tritontui.engine.engine import Engine


def words(row: Judged, language: str) -> str:
    """The change, and what is said of it."""
    change = f"{row.mutant.name}\n  - {row.mutant.before}\n  + {row.mutant.after}"
    if row.first is None:
        return f"{change}\n  {row.outcome}"
    said = explain(row.first, language)  # type: ignore[arg-type]
    return f"{change}\n  line {row.first.line} {row.first.id}: {said.title}\n  {said.message}\n  → {said.fix}"


async def judge(options: argparse.Namespace) -> list[Judged]:
    chosen = [
        (subject, one)
        for subject in subjects()
        if not options.exercise or subject.name in options.exercise
        for one in mutants(subject, options.most)
        if not options.kind or one.kind in options.kind
    ][:: options.every]
    rows = []
    engine = Engine("cpu")
    await engine.start()
    try:
        for subject in dict.fromkeys(subject for subject, _ in chosen):
            async for row in judged(engine, subject, [one for owner, one in chosen if owner is subject]):
                rows.append(row)
                if options.words:
                    print(words(row, options.words), flush=True)
    finally:
        await engine.close()
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most", type=int, default=MOST)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--exercise", action="append", default=[])
    parser.add_argument("--kind", action="append", default=[])
    parser.add_argument("--words", choices=("en", "it"))
    options = parser.parse_args()
    begin = time.perf_counter()
    rows = asyncio.run(judge(options))
    figures = Figures.of(rows)
    print("\n".join(figures.table()))
    print(f"\n{len({row.mutant.kind for row in rows})} kinds of fault, {time.perf_counter() - begin:.0f} s")
    print("\n".join(outside(rows)))
    bad = figures.outcomes["crash"] + figures.outcomes["hang"] + figures.outcomes["passed"]
    return 1 if bad or figures.specific < 0.9 or figures.on_line < 0.95 else 0


if __name__ == "__main__":
    sys.exit(main())
