"""From an exception, as data, to a finding."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tritontui.diagnosis.finding import Failure, Finding
from tritontui.i18n import plain

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST_ORIGINAL = 6000
"""Characters kept of the untouched text."""


def recognise(failure: Failure) -> Finding:
    """What ``failure`` means for the learner, on the learner's own line.

    Rules are tried in order, each on every message of the chain, the root cause first. ``failure.context`` may hold
    ``entry`` and ``kernel`` (names), ``arguments`` (scalars of the launch by parameter name), ``grid``, ``device``,
    ``empty`` (an argument has no element) and launch options such as ``num_warps``.

    Always answers: what no rule knows is ``compile-error`` (from the compiler) or ``host-exception``
    (from anywhere else). The error's own text stands in ``original``, with control
    characters written out.
    """
    from tritontui.diagnosis.rules import RULES
    from tritontui.diagnosis.scene import Scene

    scene = Scene(failure)
    finding = next(_findings(scene, RULES), None) or scene.unknown()
    finding.original = _original(failure)
    return finding


def _findings(scene: Scene, rules: tuple[Rule, ...]) -> Iterator[Finding]:
    for rule in rules:
        for said in scene.said:
            if (match := rule.search(said)) and (finding := rule.make(scene, match)):
                yield finding


def _original(failure: Failure) -> str:
    chain = "\n\n".join(f"{link.kind}: {link.message}" for link in (failure, *failure.causes))
    text = f"{chain}\n\n{failure.log}" if failure.log else chain
    return plain(text[:LONGEST_ORIGINAL], lines=True)


if TYPE_CHECKING:
    from tritontui.diagnosis.scene import Rule, Scene
