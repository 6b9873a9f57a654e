"""Causes before consequences."""

from __future__ import annotations

from itertools import permutations

import pytest

from tritontui.diagnosis import Finding, Severity, entry, identifiers, rank


def finding(identifier: str, line: int = 1, severity: Severity | None = None, **more: str) -> Finding:
    return Finding(id=identifier, severity=severity or entry(identifier).severity, line=line, **more)


def shown(ranked: list[Finding]) -> list[tuple[str, str | None]]:
    return [(one.id, one.caused_by) for one in ranked]


def test_consequences_come_after_their_cause_in_any_order_of_arrival() -> None:
    found = [finding("value-mismatch"), finding("out-of-bounds-write", 12), finding("never-written", 9)]
    for order in permutations(found):
        assert shown(rank(order)) == [
            ("out-of-bounds-write", None),
            ("value-mismatch", "out-of-bounds-write"),
            ("never-written", "out-of-bounds-write"),
        ]


def test_the_root_of_a_chain_is_named() -> None:
    """An overflow sends a store out of bounds, which leaves the output unwritten."""
    found = [finding("never-written", 3), finding("out-of-bounds-write", 2), finding("int32-overflow", 1)]
    assert {one.caused_by for one in rank(found)[1:]} == {"int32-overflow"}


def test_gravest_first_then_by_line() -> None:
    found = [
        finding("uncoalesced", 1),
        finding("mask-ignored", 9),
        finding("stride-ignored", 8),
        finding("nan-born", 7),
    ]
    assert [one.id for one in rank(found)] == ["nan-born", "stride-ignored", "mask-ignored", "uncoalesced"]


def test_a_cause_is_as_grave_as_its_consequences() -> None:
    found = [finding("masked-load-without-other"), finding("value-mismatch")]
    ranked = rank(found)
    assert shown(ranked) == [("masked-load-without-other", None), ("value-mismatch", "masked-load-without-other")]
    assert ranked[0].severity == "error"
    assert found[0].severity == "warning"
    assert found[1].caused_by is None


def test_a_note_explains_nothing() -> None:
    found = [finding("write-conflict", severity="note"), finding("value-mismatch")]
    assert shown(rank(found)) == [("value-mismatch", None), ("write-conflict", None)]


def test_two_of_one_kind_stand_side_by_side() -> None:
    found = [finding("out-of-bounds-read", 5), finding("out-of-bounds-read", 4)]
    assert [(one.line, one.caused_by) for one in rank(found)] == [(4, None), (5, None)]


def test_what_is_folded_already_stays_so() -> None:
    found = [finding("never-written", caused_by="no-progress"), finding("no-progress")]
    assert shown(rank(found)) == [("no-progress", None), ("never-written", "no-progress")]


def test_a_named_cause_that_follows_from_another_leads_to_the_root() -> None:
    found = [
        finding("nan-born", caused_by="out-of-bounds-read"),
        finding("out-of-bounds-read"),
        finding("int32-overflow"),
    ]
    assert shown(rank(found)) == [
        ("int32-overflow", None),
        ("nan-born", "int32-overflow"),
        ("out-of-bounds-read", "int32-overflow"),
    ]


def test_a_consequence_that_would_explain_its_cause_hides_nothing() -> None:
    found = [finding("never-written", caused_by="wrapper-contract"), finding("wrapper-contract")]
    assert shown(rank(found)) == [("wrapper-contract", None), ("never-written", "wrapper-contract")]


def test_every_finding_comes_out_once() -> None:
    found = [finding(identifier, line) for line, identifier in enumerate(identifiers(), 1)]
    assert sorted(one.id for one in rank(found)) == sorted(identifiers())


def test_unknown_ids_are_ranked_too() -> None:
    assert [one.id for one in rank([Finding(id="new", severity="note"), finding("no-gpu")])] == ["no-gpu", "new"]


def test_nothing() -> None:
    assert rank([]) == []


@pytest.mark.parametrize("identifier", identifiers())
def test_no_two_ids_explain_each_other(identifier: str) -> None:
    for follower in entry(identifier).folds:
        assert identifier not in entry(follower).folds
