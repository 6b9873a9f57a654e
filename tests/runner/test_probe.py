"""Doctor's facts, and what a child loads before it says ready."""

from __future__ import annotations

import errno
import os
import tempfile

import pytest
import torch

from tritontui.runner.compiler import compile as compiling
from tritontui.runner.compiler.kernel_cache import INSTEAD_OF, ensure_cache
from tritontui.runner.compiler.target import compiling_for
from tritontui.runner.doctor import probe as probing
from tritontui.runner.doctor.probe import probe
from tritontui.runner.measuring.kernels import copy_kernel
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


def test_kernels_are_compiled_though_their_cache_cannot_be_written(monkeypatch, tmp_path):
    """A file stands where the folder should be: that stops root, too."""
    (tmp_path / "file").touch()
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "file" / "cache"))
    monkeypatch.setenv(INSTEAD_OF, "")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    ensure_cache()
    checks = {check.id: check for check in probe("cpu")}
    assert checks["compiler"].ok, checks["compiler"].detail
    assert not checks["cache"].ok and checks["cache"].params["path"] == str(tmp_path / "file" / "cache")
    assert list(tmp_path.glob("triton-cache-*/*")), "they are kept for the time being"


def test_a_disk_that_fills_up_is_no_fault_of_the_kernel(monkeypatch):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(compiling, "triton_compile", full)
    check = next(check for check in probe("cpu") if check.id == "compiler")
    assert "No space left" in check.detail
    memory = torch.empty(64)
    launch = compiling.Launch(copy_kernel, {"source_ptr": memory, "target_ptr": memory, "n": 64, "block": 64}, {})
    with compiling_for("sm_90"), pytest.raises(OSError, match="No space left"):
        compiling.Compiler().build(launch, "sm_90")
