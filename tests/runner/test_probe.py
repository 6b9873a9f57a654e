"""Doctor's facts, and what a child loads before it says ready."""

from __future__ import annotations

import pytest

from tritontui.runner import probe as probing
from tritontui.runner.probe import probe
from tritontui.runner.session import Session
from tritontui.runner.warmup import warm_up


@pytest.fixture(scope="module")
def checks():
    return {check.id: check for check in probe("cpu")}


def test_this_environment_is_fit(checks):
    wrong = {identifier: check.detail for identifier, check in checks.items() if not check.ok}
    assert wrong == {}


def test_what_is_looked_at(checks):
    assert {"python", "torch", "triton", "numpy", "compiler", "cuobjdump", "nvdisasm", "cache"} <= set(checks)


def test_an_old_version_says_what_is_needed(monkeypatch):
    monkeypatch.setitem(probing.OLDEST, "numpy", (99, 0))
    check = next(check for check in probe("cpu") if check.id == "numpy")
    assert not check.ok
    assert check.params["needed"] == "99.0"


def test_the_variable_that_keeps_triton_from_compiling(monkeypatch):
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    check = next(check for check in probe("cpu") if check.id == "interpret-variable")
    assert not check.ok
    assert check.params["value"] == "1"


def test_a_check_that_breaks_is_a_failed_check(monkeypatch):
    def broken():
        raise OSError("no room")

    monkeypatch.setattr(probing, "_cache", broken)
    check = next(check for check in probe("cpu") if check.id == "cache")
    assert not check.ok
    assert "no room" in check.detail


def test_warming_up_never_fails():
    warm_up(Session(device="cpu", target="sm_90"))
    warm_up(Session(device="cpu", target="sm_1"))
    warm_up(Session(device="cuda:77", target="sm_90"))
