"""Every config that a tuner may choose, tried: which one wins is decided by a clock, on another card another one.

A kernel that is right with the config tried first may be wrong with the next; and a call may get what was chosen for
another call, where ``key`` doesn't tell the two apart.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, NamedTuple

from tritontui.diagnosis.finding import Finding, Severity
from tritontui.runner.cases.callers import LockstepCaller
from tritontui.runner.cases.check import CaseOutcome, Checker
from tritontui.runner.compiler.occupancy import THREADS_PER_BLOCK
from tritontui.runner.compiler.target import gpu_target
from tritontui.runner.compiler.tuning import among, config_text, invalid_config, unkeyed
from tritontui.runner.lockstep import Choice, KernelError
from tritontui.runner.lockstep.errors import StaticAssertion
from tritontui.runner.spec import Case

SECONDS = 5.0
"""Spent in one run on configs other than the first; what is left over is not tried."""


class Blamed(NamedTuple):
    """A case that fails because of the tuner, as it failed, and why."""

    outcome: CaseOutcome
    finding: Finding


@dataclass
class Configs:
    """Of one submission's autotuned kernels, over the cases of one run."""

    checker: Checker
    caller: LockstepCaller
    """The checker's own."""
    seconds: float = SECONDS
    choices: list[Choice] = field(default_factory=list)
    """Of all cases."""
    _past: list[tuple[Case, Choice]] = field(default_factory=list)

    def check(self, outcome: CaseOutcome) -> Blamed | None:
        """``outcome`` is that of the first config; None: there is nothing to say of the others."""
        case = outcome.question.case
        choices = list({choice.name: choice for choice in outcome.choices}.values())
        self.choices += choices
        for choice in choices:
            blamed = self._within(case, choice, outcome)
            if blamed is None and outcome.result.passed:
                blamed = self._across(case, choice)
            if blamed is not None:
                return blamed
        if outcome.result.passed:
            self._past += [(case, choice) for choice in choices]
        return None

    def _within(self, case: Case, choice: Choice, first: CaseOutcome) -> Blamed | None:
        """A config that is wrong although pruning left it, while another one is right."""
        for config in choice.kept[1:]:
            other = self._with(case, choice, config)
            if other is None or other.result.passed is first.result.passed:
                continue
            wrong, outcome = (choice.kept[0], first) if other.result.passed else (config, other)
            return Blamed(outcome, _wrong_config(choice, wrong, outcome))
        return None

    def _across(self, case: Case, choice: Choice) -> Blamed | None:
        """A config that was chosen for another case, and that the tuner uses again here, or the other way round."""
        alike = [(past, other) for past, other in self._past if other.place == choice.place]
        for past, other in sorted(alike, key=lambda one: len(_changed(choice, one[1]))):
            for here, ours, there, theirs in ((case, choice, past, other), (past, other, case, choice)):
                for config in theirs.kept:
                    outcome = None if among(config, ours.kept) else self._with(here, ours, config)
                    if outcome is not None and not outcome.result.passed:
                        return Blamed(outcome, _kept_too_long(ours, theirs, config, here, there))
        return None

    def _with(self, case: Case, choice: Choice, config: Any) -> CaseOutcome | None:
        """``case`` with this config and one seed; None when the time is up, or a static assertion rules it out."""
        if self.seconds <= 0:
            return None
        began = time.monotonic()
        checker = replace(self.checker, caller=self.caller.choosing(choice.name, config))
        outcome = checker.check(replace(case, seeds=case.seeds[:1]))
        self.seconds -= time.monotonic() - began
        refused = isinstance(outcome.error, KernelError) and isinstance(outcome.error.cause, StaticAssertion)
        return None if refused else outcome


def remarks(choices: Sequence[Choice], target: str) -> list[Finding]:
    """What search spaces and keys have against them, whether results are right or not; ``choices`` of many launches."""
    by_kernel: dict[int, list[Choice]] = {}
    for choice in choices:
        by_kernel.setdefault(id(choice.kernel), []).append(choice)
    found: list[Finding] = []
    for mine in by_kernel.values():
        found += [*_unknown(mine[0]), *_addresses(mine[0]), *_unkeyed(mine), *_too_many_threads(mine, target)]
    return found


def _unknown(choice: Choice) -> Iterator[Finding]:
    """A name in ``key`` that is none of the kernel's, which Triton before 3.9 passes over."""
    names = [name for name in choice.key if name not in choice.kernel.arg_names]
    if names:
        yield _finding("autotune-key", choice, "warning", problem="unknown", names=", ".join(names))


def _addresses(choice: Choice) -> Iterator[Finding]:
    """A tensor in ``key`` is another one at each call: nothing that was chosen is ever used again."""
    for name in choice.addresses:
        yield _finding("autotune-key", choice, "warning", problem="tensor", argument=name)


def _unkeyed(choices: Sequence[Choice]) -> Iterator[Finding]:
    """A size that no key names, or one that pruning goes by and ``key`` doesn't tell apart."""
    found = [unkeyed(choices[0], other.sizes) for other in choices[1:]]
    first: dict[tuple[Any, ...], Choice] = {}
    for choice in choices:
        known = first.setdefault(choice.place, choice)
        if not all(among(config, known.kept) for config in choice.kept) and (changed := _changed(choice, known)):
            found.append(_finding("autotune-key", choice, "warning", problem="missing", argument=changed[0]))
    yield from islice((finding for finding in found if finding is not None), 1)


def _too_many_threads(choices: Sequence[Choice], target: str) -> Iterator[Finding]:
    """A config that no GPU runs; what it takes of shared memory only its binary tells."""
    warp = gpu_target(target).warp_size
    for choice in choices:
        for config in choice.kept:
            if (config.num_warps or 0) * warp > THREADS_PER_BLOCK:
                yield invalid_config(choice, config)
                return


def _wrong_config(choice: Choice, config: Any, outcome: CaseOutcome) -> Finding:
    wrong = outcome.result.first_mismatch
    return _finding(
        "autotune-wrong-config",
        choice,
        config=config_text(config),
        case=outcome.result.name,
        wrong=wrong.wrong if wrong is not None else None,
        total=wrong.total if wrong is not None else None,
    )


def _kept_too_long(ours: Choice, theirs: Choice, config: Any, here: Case, there: Case) -> Finding:
    return _finding(
        "autotune-key",
        ours,
        problem="kept",
        argument=next(iter(_changed(ours, theirs)), ""),
        config=config_text(config),
        case=here.name,
        other_case=there.name,
    )


def _finding(identifier: str, choice: Choice, severity: Severity = "error", **params: Any) -> Finding:
    line = int(choice.kernel.starting_line_number)
    return Finding(id=identifier, severity=severity, line=line, params={"kernel": choice.name, **params})


def _changed(one: Choice, other: Choice) -> list[str]:
    """Sizes in which two launches differ."""
    return [name for name, value in one.sizes.items() if other.sizes.get(name) != value]
