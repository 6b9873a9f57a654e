"""A sample of the corpus of faulty kernels, judged by a real child. ``benchmarks/mutants.py`` judges all of it."""

from __future__ import annotations

import pytest

from tests.runner.mutants.corpus import HERE, Subject, mutants, subjects
from tests.runner.mutants.judging import Judged, judged
from tests.runner.mutants.registry import KINDS
from tests.runner.mutants.source import Mutant
from tests.runner.mutants.table import Figures, outside
from tritontui.engine.engine import Engine

EVERY = 13
"""One mutant in so many is judged here."""
OWN = [subject for subject in subjects() if subject.folder.parent == HERE]
CORPUS: dict[str, list[Mutant]] = {subject.name: mutants(subject) for subject in OWN}


def test_the_corpus_is_large_and_every_kind_of_fault_is_in_it() -> None:
    of_the_host = ("course add_wrapper", "course validate_add")
    course = [mutants(subject) for subject in subjects() if subject.name in of_the_host]
    found = {one.kind for several in (*CORPUS.values(), *course) for one in several}
    assert found == set(KINDS)
    assert sum(map(len, CORPUS.values())) >= 1000


@pytest.mark.parametrize("subject", OWN, ids=lambda subject: subject.name)
def test_a_mutant_is_the_solution_with_one_fault_on_its_line(subject: Subject) -> None:
    for one in CORPUS[subject.name]:
        assert one.text != subject.solution
        assert 1 <= one.line <= len(one.text.splitlines()), one.name
        assert one.line not in one.also


@pytest.fixture(scope="module")
def sample() -> list[tuple[Subject, list[Mutant]]]:
    """Every so many mutants, over all exercises and so over all kinds."""
    everything = [(subject, one) for subject in OWN for one in CORPUS[subject.name]][::EVERY]
    return [(subject, [one for owner, one in everything if owner is subject]) for subject in OWN]


async def test_a_sample_is_diagnosed(sample: list[tuple[Subject, list[Mutant]]]) -> None:
    rows: list[Judged] = []
    engine = Engine("cpu")
    await engine.start()
    try:
        for subject, chosen in sample:
            rows += [row async for row in judged(engine, subject, chosen)]
    finally:
        await engine.close()
    figures = Figures.of(rows)
    report = "\n".join([*figures.table(), *outside(rows)])
    assert not figures.outcomes["crash"] and not figures.outcomes["hang"], report
    assert not figures.outcomes["passed"], report
    assert figures.specific >= 0.9, report
    assert figures.on_line >= 0.95, report
