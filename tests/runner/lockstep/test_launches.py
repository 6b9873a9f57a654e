# ruff: noqa: SIM108 - kernels are written as learners write them
"""How a launch goes on, and how it fails."""

from __future__ import annotations

from functools import partial

import pytest
import torch
import triton
import triton.language as tl
from marked import marked_line

from tritontui.runner.lockstep import (
    BlockTruthValue,
    BranchTypeMismatch,
    BudgetExceeded,
    GridAxisTooLong,
    KernelError,
    NoProgress,
    TraceOptions,
    UndefinedVariable,
    UnsupportedStatement,
    tracing,
)
from tritontui.runner.lockstep.errors import Stopped
from tritontui.runner.lockstep.launch import Launch

line_of = partial(marked_line, __file__)


@triton.jit
def copy_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=offsets < n), mask=offsets < n)


@triton.jit
def truth_kernel(x_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    if offsets < n:  # block truth
        tl.store(x_ptr + offsets, 1.0)


@triton.jit
def broken_kernel(x_ptr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(x_ptr + offsets, 1.0)
    tl.store(x_ptr + tl.arange(0, 3), 1.0)  # three lanes


@triton.jit
def half_defined_kernel(x_ptr, n):
    if n > 3:
        value = 1.0
    tl.store(x_ptr, value)  # undefined


@triton.jit
def mixed_kernel(x_ptr):
    pid = tl.program_id(0)
    if pid == 0:  # mixed
        value = pid
    else:
        value = pid * 0.5
    tl.store(x_ptr + pid, value)


@triton.jit
def breaking_kernel(x_ptr, n):
    for i in range(n):
        if i > 2:
            break  # break
        tl.store(x_ptr + i, 1.0)


@triton.jit
def finishing_kernel(x_ptr, n):
    for i in range(n):  # finishing
        tl.store(x_ptr + i, 1.0)
    else:
        tl.store(x_ptr, 2.0)


@pytest.mark.parametrize(
    ("launch", "marker", "cause"),
    [
        (lambda: truth_kernel[(2,)](torch.zeros(8), 5, BLOCK=8), "block truth", BlockTruthValue),
        (lambda: broken_kernel[(2,)](torch.zeros(8), BLOCK=8), "three lanes", ValueError),
        (lambda: half_defined_kernel[(1,)](torch.zeros(8), 2), "undefined", UndefinedVariable),
        (lambda: mixed_kernel[(2,)](torch.zeros(8)), "mixed", BranchTypeMismatch),
        (lambda: breaking_kernel[(1,)](torch.zeros(8), 5), "break", UnsupportedStatement),
        (lambda: finishing_kernel[(1,)](torch.zeros(8), 5), "finishing", UnsupportedStatement),
    ],
)
def test_errors_carry_the_line(launch, marker, cause):
    with tracing() as session, pytest.raises(KernelError) as caught:
        launch()
    assert isinstance(caught.value.cause, cause)
    assert caught.value.line == line_of(marker)
    (trace,) = session.traces
    assert not trace.complete
    assert trace.covered


@pytest.mark.parametrize(
    ("launch", "error", "text"),
    [
        (lambda x: copy_kernel[4](x, x, 8, BLOCK=8), TypeError, "has no len"),
        (lambda x: copy_kernel[(1,)](x, BLOCK=8), TypeError, "missing a required argument: 'out_ptr'"),
        (lambda x: copy_kernel[(1,)](x, x, 8, BLOK=8), KeyError, "BLOK was specified but unrecognised"),
        (lambda x: copy_kernel[(1, 65536)](x, x, 8, BLOCK=8), GridAxisTooLong, "65535"),
        (lambda x: copy_kernel(x, x, 8, BLOCK=8), RuntimeError, "outside of the scope of a kernel"),
    ],
)
def test_host_mistakes_fail_as_on_a_gpu(launch, error, text):
    with tracing() as session, pytest.raises(error, match=text):
        launch(torch.zeros(8))
    assert session.traces == []


def test_everything_is_restored():
    with tracing():
        copy_kernel[(1,)](torch.randn(8), torch.zeros(8), 8, BLOCK=8)
        with pytest.raises(RuntimeError):
            copy_kernel(1)
    with pytest.raises(ValueError, match="_semantic"):
        tl.load(None)
    with pytest.raises(RuntimeError, match="0 active drivers"):
        copy_kernel[(1,)](torch.randn(8), torch.zeros(8), 8, BLOCK=8)


@triton.jit
def lock_kernel(lock_ptr, sum_ptr, x_ptr):
    pid = tl.program_id(0)
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    tl.store(sum_ptr, tl.load(sum_ptr) + tl.load(x_ptr + pid))
    tl.atomic_xchg(lock_ptr, 0)


def test_a_spin_lock_is_run_one_program_at_a_time():
    lock, total, x = torch.zeros(1, dtype=torch.int32), torch.zeros(1), torch.arange(8.0)
    with tracing() as session:
        lock_kernel[(8,)](lock, total, x)
    (trace,) = session.traces
    assert total.item() == 28
    assert trace.mode.startswith("one by one")
    assert trace.complete
    assert [access.order for access in trace.accesses] == list(range(1, len(trace.accesses) + 1))


@triton.jit
def waiting_kernel(flag_ptr, out_ptr):
    pid = tl.program_id(0)
    if pid == 0:
        while tl.load(flag_ptr) == 0:  # waits
            pass
        tl.store(out_ptr, 1)
    else:
        tl.store(flag_ptr, 1)


def test_waiting_for_a_later_program_makes_no_progress():
    flag, out = torch.zeros(1, dtype=torch.int32), torch.zeros(1, dtype=torch.int32)
    with tracing() as session, pytest.raises(KernelError) as caught:
        waiting_kernel[(2,)](flag, out)
    assert isinstance(caught.value.cause, NoProgress)
    assert caught.value.line == line_of("waits")
    assert [event.kind for event in session.traces[0].events] == ["no-progress"]
    assert flag.item() == 0, "the launch was rolled back"


@triton.jit
def endless_kernel(out_ptr):
    i = 0
    while i >= 0:  # endless
        i = (i + 1) % 1000
    tl.store(out_ptr, i)


@triton.jit
def stuck_kernel(out_ptr, n):
    i = 0
    while i < n:  # stuck
        tl.store(out_ptr, i)


def test_an_endless_loop_ends_in_time():
    with tracing(TraceOptions(seconds=0.2)), pytest.raises(KernelError) as caught:
        endless_kernel[(2,)](torch.zeros(1, dtype=torch.int32))
    assert isinstance(caught.value.cause, BudgetExceeded)
    assert caught.value.line == line_of("endless")


def test_what_ends_a_launch_from_outside_learns_how_far_it_was(monkeypatch):
    go, begun = Launch._go, []

    def until_the_third(launch, *rest):
        begun.append(rest)
        if len(begun) == 3:
            raise Stopped
        go(launch, *rest)

    monkeypatch.setattr(Launch, "_go", until_the_third)  # the first is too wide for a chunk, and halved
    x = torch.zeros(64)
    with tracing(TraceOptions(chunk_lanes=16)), pytest.raises(Stopped) as caught:
        copy_kernel[(8,)](x, x, 64, BLOCK=8)
    assert caught.value.programs == (2, 8)


def test_a_loop_that_stores_the_same_forever_makes_no_progress():
    with tracing(), pytest.raises(KernelError) as caught:
        stuck_kernel[(2,)](torch.zeros(1, dtype=torch.int32), 5)
    assert isinstance(caught.value.cause, NoProgress)
    assert caught.value.line == line_of("stuck")


@triton.jit
def printing_kernel(x_ptr):
    pid = tl.program_id(0)
    tl.device_print("x", tl.load(x_ptr + pid))
    print("pid", pid)
    tl.static_print("once")


def test_prints_come_out_in_program_order(capsys):
    with tracing() as session:
        printing_kernel[(2,)](torch.tensor([1.5, 2.5]))
    assert capsys.readouterr().out.splitlines() == [
        "once",
        "pid (0, 0, 0) idx () x: 1.500000",
        "pid (1, 0, 0) idx () x: 2.500000",
        "pid (0, 0, 0) idx () pid: 0",
        "pid (1, 0, 0) idx () pid: 1",
    ]
    assert [event.kind for event in session.traces[0].events] == ["device-print", "device-print"]


@triton.jit
def asserting_kernel(x_ptr, n):
    pid = tl.program_id(0)
    tl.device_assert(pid < n, "too many programs")  # asserts
    assert pid < n, "still too many"


def test_a_failed_assertion_is_an_event_and_in_debug_mode_an_error():
    with tracing() as session:
        asserting_kernel[(3,)](torch.zeros(1), 2)
    first, second = session.traces[0].events
    assert (first.kind, first.programs, first.params["message"]) == ("device-assert", (2,), "too many programs")
    assert second.params["message"] == "still too many"
    with tracing(), pytest.raises(KernelError, match="too many programs") as caught:
        asserting_kernel[(3,)](torch.zeros(1), 2, debug=True)
    assert caught.value.line == line_of("asserts")


tuned = triton.autotune(
    configs=[triton.Config({"BLOCK": 8}), triton.Config({"BLOCK": 16})], key=["n"], restore_value=["out_ptr"]
)(copy_kernel)


def test_autotune_runs_the_first_config_or_all():
    x, out = torch.randn(32), torch.zeros(32)
    grid = lambda meta: (triton.cdiv(32, meta["BLOCK"]),)  # noqa: E731
    with tracing() as session:
        tuned[grid](x, out, 32)
    assert [launch.arguments["BLOCK"] for launch in session.launches] == [8]
    assert torch.equal(out, x)
    with tracing(TraceOptions(configs="all")) as session:
        tuned[grid](x, out, 32)
    assert [launch.arguments["BLOCK"] for launch in session.launches] == [8, 16, 8]


def test_an_empty_grid_does_nothing():
    with tracing() as session:
        copy_kernel[(0,)](torch.zeros(1), torch.zeros(1), 0, BLOCK=8)
    (trace,) = session.traces
    assert trace.complete
    assert trace.accesses == []


@triton.jit
def leaves_early_kernel(out_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    if pid * BLOCK >= n:
        return
    tl.store(out_ptr + pid * BLOCK + tl.arange(0, BLOCK), tl.zeros((BLOCK,), tl.float32) + 1)


@pytest.mark.parametrize("programs", [1, 2, 3])
def test_constants_stay_constant_where_no_program_or_only_some_leave_early(programs):
    out = torch.zeros(16)
    with tracing():
        leaves_early_kernel[(programs,)](out, 16, BLOCK=8)
    assert out.sum() == 8 * min(programs, 2)


@triton.jit
def needs_two(a, b):
    return a + b


@triton.jit
def calls_with_one(o):
    tl.store(o, needs_two(1))


def test_a_device_function_is_called_by_its_name_when_arguments_are_missing():
    with pytest.raises(KernelError, match=r"needs_two\(\) missing 1 required positional argument: 'b'"), tracing():
        calls_with_one[(1,)](torch.zeros(1))
