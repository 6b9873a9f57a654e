"""``pytest --triton-trace``: tests whose launches have errors fail, and say where."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytest_plugins = "pytester"

KERNELS = """
import triton
import triton.language as tl

@triton.jit
def copy_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offs, tl.load(x_ptr + offs, mask=offs < n), mask=offs < n)

@triton.jit
def index_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    tl.store(out_ptr, tl.load(x_ptr + tl.arange(0, BLOCK))[0])

FACTOR = 3.0

@triton.jit
def scale_kernel(x_ptr):
    tl.store(x_ptr, tl.load(x_ptr) * FACTOR)
"""

TESTS = """
import pytest, torch, triton
from kernels import copy_kernel, index_kernel, scale_kernel

DEVICE = torch.device("cuda")
pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")

@pytest.fixture(params=[32, 40])
def x(request):
    x = torch.empty(request.param, device=DEVICE)
    copy_kernel[(3,)](torch.rand(request.param, device="cuda"), x, request.param, BLOCK=16)
    yield x
    if request.param == 40:
        copy_kernel[(1,)](x, x, 41, BLOCK=64)

@pytest.mark.parametrize("extra", [0, 8])
def test_copy(x, extra):
    out = torch.zeros_like(x)
    copy_kernel[(triton.cdiv(x.numel() + extra, 16),)](x, out, x.numel() + extra, BLOCK=16)
    torch.testing.assert_close(out, x)

def test_that_fails_by_itself():
    copy_kernel[(1,)](torch.rand(9, device="cuda"), torch.zeros(16, device="cuda"), 12, BLOCK=16)
    assert "mine" == "wrong"

def test_that_the_compiler_refuses():
    scale_kernel[(1,)](torch.rand(1, device="cuda"))

def test_that_stops():
    with pytest.raises(Exception):
        index_kernel[(1,)](torch.rand(8, device="cuda"), torch.empty(1, device="cuda"), BLOCK=8)

def test_without_a_kernel():
    assert torch.rand(3, device="cuda").is_cuda
"""


def test_errors_of_launches_fail_their_tests(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(kernels=KERNELS, test_kernels=TESTS)
    # in a process of its own: pytester forgets modules that were loaded meanwhile, and torch can't be loaded twice
    result = pytester.runpytest_subprocess("--triton-trace", "-p", "no:cacheprovider")
    outcomes = result.parseoutcomes()
    # test_copy[40-*] end in an error of their fixture, [32-8] and [40-8] fail
    assert outcomes == {"passed": 3, "failed": 5, "errors": 2}, result.stdout.str()
    store = next(n for n, line in enumerate(KERNELS.strip().splitlines(), 1) if "tl.store(out_ptr + offs" in line)
    result.stdout.fnmatch_lines(
        [
            f"error: kernels.py line {store}: 8 lanes of program 2 read outside*[[]out-of-bounds-read[]]",
            "  Program 2 loads elements 32–39 of `x_ptr`, which has 32 elements.*",
            '*assert "mine" == "wrong"*',
            "*Captured triton-trace call*",
            f"error: kernels.py line {store}: *[[]out-of-bounds-read[]]",
            "*[[]global-not-constexpr[]]",
            "*[[]block-indexing[]]",
        ]
    )


def test_nothing_is_loaded_where_it_is_not_asked_for() -> None:
    """What an entry point costs every run of pytest."""
    code = "import sys, pytest, tritontui.pytest_plugin; sys.exit('torch' in sys.modules or 'numpy' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
