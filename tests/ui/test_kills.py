"""A few rounds of ``benchmarks.kills``: signals at random moments of a real session, and nothing is lost or left."""

import os
import signal
from pathlib import Path

import pytest

from benchmarks import kills
from benchmarks.learner import Home

FAULTS = (
    kills.Fault("interface", signal.SIGKILL),
    kills.Fault("interface", signal.SIGSTOP, goes_on=True),
    kills.Fault("child", signal.SIGKILL),
)
"""Those that are answered at once; ``benchmarks.kills`` also tries those that a deadline has to end.

SIGHUP, SIGTERM and a line that drops have tests of their own, in ``test_in_a_terminal``.
"""


FORBID = """
import os, sys
from pathlib import Path

def forbid(event, arguments):
    if event in ("socket.connect", "socket.bind", "socket.sendto", "socket.getaddrinfo", "socket.gethostbyname"):
        with open(f"{LOG}/{os.getpid()}", "a") as file:
            file.write(f"{event} {arguments}\\n")
        raise OSError("no network here")

Path(f"{LOG}/started-{os.getpid()}").touch()
sys.addaudithook(forbid)
"""
"""In every Python of the session: nothing reaches for the network."""


@pytest.fixture
def network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which every process that starts, and every use of the network, leaves a file."""
    log, modules = tmp_path / "network", tmp_path / "modules"
    log.mkdir()
    modules.mkdir()
    (modules / "sitecustomize.py").write_text(f"LOG = {str(log)!r}\n{FORBID}")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [str(modules), os.environ.get("PYTHONPATH", "")])))
    return log


def test_nothing_is_lost_or_left_whatever_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, network: Path
) -> None:
    monkeypatch.setattr(kills, "LATEST_S", 2.0)
    home = Home.made(tmp_path / "home")
    broken = {
        f"{found.fault.name}, {found.kernel}": (found.broken, found.screen)
        for found in kills.rounds(home, range(len(FAULTS)), seed=1, faults=FAULTS)
        if found.broken
    }
    assert not broken
    started = [path.name for path in network.glob("started-*")]
    assert len(started) >= 2 * len(FAULTS), "the interface and its child"
    used = [path.read_text() for path in network.iterdir() if path.name not in started]
    assert used == [], "no network is used"
