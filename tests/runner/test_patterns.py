"""What wrong values have in common, as a learner reads it: each pattern under its fault, in both languages."""

from __future__ import annotations

import pytest
import torch

from tritontui.diagnosis import explain
from tritontui.engine.messages import CaseResult
from tritontui.runner.cases.check import CaseOutcome, Question
from tritontui.runner.cases.compare import compare, tolerance_for
from tritontui.runner.explaining.verdicts import findings_of
from tritontui.runner.spec import Case


def normal(*shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(0), dtype=torch.float64)


def finding(got, right):
    """Of an output ``got`` where ``right`` is right, as the judge finds it."""
    mismatch = compare(got, right, tolerance_for(got.dtype, {}))
    assert mismatch is not None
    question = Question(Case("n = 1000"), 0, [], [right], [right])
    result = CaseResult(name="n = 1000", passed=False, milliseconds=1.0, first_mismatch=mismatch)
    (found,) = findings_of(CaseOutcome(result, question, output=got, exact=right), None, "cpu", "")
    assert found.id == "value-mismatch"
    return found


def holed(right, *where):
    """``right`` with other numbers at ``where``."""
    got = right.clone().float()
    got[where] = normal(*got[where].shape).float() + 9
    return got


def by_chance(got, right, *where):
    got[where] = right[where].float()
    return got


LINE, MATRIX, LONG = normal(1000), normal(40, 50), normal(64, 96)
tail = holed(LINE, slice(768, None))
block = holed(LINE, slice(256, 512))
third = holed(LINE, slice(2, None, 3))
tile = holed(LONG, slice(16, 32), slice(32, 64))
edge = holed(MATRIX, slice(None), slice(48, None))
column = holed(MATRIX, slice(None), slice(7, 8))

PATTERNS = {
    "tail": (
        tail,
        LINE,
        "The wrong ones run from element 768 to the end",
        "Quelli sbagliati vanno dall'elemento 768 alla fine",
    ),
    "tail with one right by chance": (
        by_chance(tail.clone(), LINE, 900),
        LINE,
        "The wrong ones run from element 768 to the end",
        "Quelli sbagliati vanno dall'elemento 768 alla fine",
    ),
    "last element": (
        holed(LINE, slice(999, None)),
        LINE,
        "The wrong ones run from element 999 to the end",
        "Quelli sbagliati vanno dall'elemento 999 alla fine",
    ),
    "block": (block, LINE, "Only elements 256–511 are wrong", "Sono sbagliati solo gli elementi 256–511"),
    "every third": (
        third,
        LINE,
        "The wrong ones lie 3 apart, from element 2 on: something steps by 3.",
        "Quelli sbagliati distano 3 l'uno dall'altro, a partire dall'elemento 2: qualcosa avanza di 3.",
    ),
    "every third with some right by chance": (
        by_chance(third.clone(), LINE, [5, 50, 101]),
        LINE,
        "The wrong ones lie 3 apart, from element 2 on",
        "Quelli sbagliati distano 3 l'uno dall'altro, a partire dall'elemento 2",
    ),
    "tile": (
        tile,
        LONG,
        "Only rows 16–31, columns 32–63 are wrong, one tile",
        "Sono sbagliate solo le righe 16–31, colonne 32–63, un solo blocco",
    ),
    "last columns": (
        edge,
        MATRIX,
        "Only columns 48–49 are wrong, in every row",
        "Sono sbagliate solo le colonne 48–49, in ogni riga",
    ),
    "one column": (
        column,
        MATRIX,
        "Only column 7 is wrong, in every row",
        "È sbagliata solo la colonna 7, in ogni riga",
    ),
    "last rows": (
        holed(MATRIX, slice(38, None)),
        MATRIX,
        "The wrong ones run from element 1900 to the end",
        "Quelli sbagliati vanno dall'elemento 1900 alla fine",
    ),
    "transposed index": (
        MATRIX.t().contiguous().reshape(40, 50).float(),
        MATRIX,
        "The right numbers are there with rows and columns exchanged.",
        "I numeri giusti ci sono, con righe e colonne scambiate.",
    ),
    "rounding": (
        (LONG * (1 + 1e-3 * normal(64, 96).sign())).float(),
        LONG,
        "without a pattern: that looks like rounding, not like indexing.",
        "senza uno schema: sembra arrotondamento, non un indice sbagliato.",
    ),
    "sign": (-LINE.float(), LINE, "right but for its sign", "giusto a parte il segno"),
    "factor": (
        (2 * LINE).float(),
        LINE,
        "Every wrong value is 2 times the right one",
        "Ogni valore sbagliato è 2 volte",
    ),
    "offset": ((LINE + 3).float(), LINE, "off by the same amount, 3", "differisce della stessa quantità, 3"),
    "shifted": (LINE.roll(-1).float(), LINE, "1 element out of place", "fuori posto di 1 elemento"),
    "reversed": (LINE.flip(0).float(), LINE, "all there, in other places", "ci sono tutti, in altri posti"),
    "constant": ((0 * LINE + 7).float(), LINE, "Every wrong value is 7", "Ogni valore sbagliato è 7"),
    "all": (
        (LINE**2 + 5).float(),
        LINE,
        "more often that comes from the arithmetic than from the mask",
        "di solito dipende dai calcoli più che dalla maschera",
    ),
}


@pytest.mark.parametrize(("got", "right", "english", "italian"), PATTERNS.values(), ids=PATTERNS)
def test_said_in_both_languages(got, right, english, italian):
    found = finding(got, right)
    assert english in explain(found, "en").message
    assert italian in explain(found, "it").message


@pytest.mark.parametrize(
    "where",
    [(slice(None, None, 7), slice(3, 40, 5)), ([3, 17, 29], [2, 31, 8]), (slice(0, 1), slice(4, 5))],
    ids=["a lattice", "here and there", "one element"],
)
def test_no_pattern_is_claimed_where_there_is_none(where):
    assert finding(holed(MATRIX, *where), MATRIX).params["pattern"] == ""


def test_a_precision_problem_is_told_from_an_indexing_one():
    rounded = finding((LONG * (1 + 1e-3 * normal(64, 96).sign())).float(), LONG).params
    assert rounded["pattern"] == "noise"
    assert rounded["worst"] == pytest.approx(1e-3, rel=0.1)
    displaced = LONG.clone().float()
    displaced[:, 0] = LONG[:, 1].float()
    assert finding(displaced, LONG).params["pattern"] != "noise"
