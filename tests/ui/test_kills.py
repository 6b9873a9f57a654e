"""A few rounds of ``benchmarks.kills``: signals at random moments of a real session, and nothing is lost or left."""

import signal
from pathlib import Path

import pytest

from benchmarks import kills
from benchmarks.learner import Home

FAULTS = (
    kills.Fault("interface", signal.SIGKILL),
    kills.Fault("interface", signal.SIGSTOP, goes_on=True),
    kills.Fault("child", signal.SIGKILL),
    kills.Fault("child", signal.SIGSTOP),
    kills.Fault("watcher", signal.SIGKILL),
)
"""SIGHUP, SIGTERM and a line that drops have tests of their own, in ``test_in_a_terminal``."""


def test_nothing_is_lost_or_left_whatever_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kills, "LATEST_S", 2.0)
    home = Home.made(tmp_path / "home")
    broken = {
        f"{found.fault.name}, {found.kernel}": (found.broken, found.screen)
        for found in kills.rounds(home, range(len(FAULTS)), seed=1, faults=FAULTS)
        if found.broken
    }
    assert not broken
