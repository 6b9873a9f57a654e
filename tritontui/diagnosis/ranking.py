"""Which finding to show first, and which merely follow from another."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from tritontui.diagnosis.catalogue import entry, identifiers
from tritontui.diagnosis.finding import Finding, Severity

_GRAVEST_FIRST: tuple[Severity, ...] = ("error", "warning", "note")


def rank(findings: Iterable[Finding]) -> list[Finding]:
    """The findings, causes first; each consequence carries ``caused_by`` and comes right after its cause.

    The arguments stay as they are. Causes come gravest first, then in the order of their lines; a cause is as grave as
    the gravest of its consequences. Of several possible causes the gravest, and then the earliest, is taken. What has
    ``caused_by`` already keeps it.
    """
    given = sorted(findings, key=_order)
    causes = {
        id(finding): cause
        for finding in given
        if (cause := _named_cause(finding, given) if finding.caused_by else _cause(finding, given)) is not None
    }
    ranked = []
    for finding in given:
        if id(finding) in causes or finding.caused_by:
            continue
        followers = [one for one in given if causes.get(id(one)) is finding]
        ranked.append((_raised(finding, followers), [replace(one, caused_by=finding.id) for one in followers]))
    ranked.sort(key=lambda group: _order(group[0]))
    named = [finding for finding in given if finding.caused_by and id(finding) not in causes]
    return [finding for cause, followers in ranked for finding in (cause, *followers)] + named


def _order(finding: Finding) -> tuple[int, int]:
    return _GRAVEST_FIRST.index(finding.severity), finding.line or 0


def _cause(finding: Finding, findings: Sequence[Finding]) -> Finding | None:
    """The cause behind ``finding`` that follows from nothing else itself."""
    seen = {finding.id}
    cause: Finding | None = None
    current = finding
    while (above := _direct_cause(current, findings, seen)) is not None:
        cause = current = above
        seen.add(above.id)
    return cause


def _named_cause(finding: Finding, findings: Sequence[Finding]) -> Finding | None:
    """What ``caused_by`` names (or what that follows from); of several the most alike in tensor and line."""
    named = [one for one in findings if one.id == finding.caused_by and one is not finding]

    def alike(one: Finding) -> tuple[bool, bool]:
        return one.tensor == finding.tensor, one.line == finding.line

    nearest = max(named, key=alike, default=None)
    return nearest and (_cause(nearest, findings) or nearest)


def _direct_cause(finding: Finding, findings: Sequence[Finding], seen: set[str]) -> Finding | None:
    """What is said to follow from something itself explains nothing: two findings could else hide each other."""
    return next(
        (one for one in findings if one.id not in seen and not one.caused_by and finding.id in _folds(one)), None
    )


def _folds(finding: Finding) -> tuple[str, ...]:
    """Notes explain nothing that is wrong."""
    return entry(finding.id).folds if finding.severity != "note" and finding.id in identifiers() else ()


def _raised(cause: Finding, followers: Sequence[Finding]) -> Finding:
    gravest = min([cause, *followers], key=_order).severity
    return cause if gravest == cause.severity else replace(cause, severity=gravest)
