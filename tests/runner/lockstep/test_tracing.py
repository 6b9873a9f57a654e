# ruff: noqa: SIM108 - kernels are written as learners write them
"""What a trace records, and how a launch fails."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
import triton
import triton.language as tl

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

HERE = Path(__file__).read_text().splitlines()


def line_of(marker: str) -> int:
    """Number of the line that ends in ``# marker``."""
    return next(number for number, line in enumerate(HERE, 1) if line.endswith(f"# {marker}"))


def column_of(marker: str, text: str) -> int:
    return HERE[line_of(marker) - 1].index(text) + 1


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offsets = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)  # load x
    y = tl.load(y_ptr + offsets, mask=mask, other=0.0)  # load y
    tl.store(out_ptr + offsets, x + y, mask=mask)  # store out


def add(x, y, block=256, **options):
    out = torch.empty_like(x)
    grid = lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)  # noqa: E731
    add_kernel[grid](x, y, out, x.numel(), BLOCK=block, **options)  # launch
    return out


def test_sites_say_where_and_what():
    with tracing() as session:
        add(torch.randn(1000), torch.randn(1000))
    (trace,) = session.traces
    assert trace.kernel == "add_kernel"
    assert trace.line == line_of("launch")
    assert trace.grid == (4,)
    assert trace.programs == 4
    assert trace.mode == "lockstep"
    assert trace.complete
    found = [
        (site.line, site.op, trace.tensors[site.tensor].name, site.has_mask, site.has_other) for site in trace.sites
    ]
    assert found == [
        (line_of("load x"), "load", "x_ptr", True, False),
        (line_of("load y"), "load", "y_ptr", True, True),
        (line_of("store out"), "store", "out_ptr", True, False),
    ]
    columns = {site.column for site in trace.sites}
    assert columns <= {0, column_of("load x", "tl.load"), column_of("store out", "tl.store")}
    assert all(site.lane_shape == (256,) for site in trace.sites)
    assert trace.scalars == {"n": 1000, "BLOCK": 256}


def test_accesses_hold_offsets_masks_and_stored_values():
    x, y = torch.randn(1000), torch.randn(1000)
    with tracing() as session:
        add(x, y)
    trace = session.traces[0]
    assert [access.order for access in trace.accesses] == [1, 2, 3]
    expected = np.arange(1024).reshape(4, 256)
    for access in trace.accesses:
        assert access.programs.tolist() == [0, 1, 2, 3]
        assert np.array_equal(access.offsets, expected)
        assert access.offsets.dtype == np.int64
        assert np.array_equal(np.broadcast_to(access.mask, (4, 256)), expected < 1000)
        assert access.out is None
        assert access.iteration == ()
    loads, store = trace.accesses[:2], trace.accesses[2]
    assert all(load.values is None for load in loads)
    assert np.array_equal(np.broadcast_to(store.values, (4, 256)).reshape(-1)[:1000], (x + y).numpy())


def test_tensors_tell_of_storage_and_view():
    base = torch.randn(100, 20)
    view = base[10:50, 3:9]
    with tracing() as session:
        add(view, base)
    first, second, out = session.traces[0].tensors
    assert (first.dtype, first.itemsize, first.shape, first.strides) == ("fp32", 4, (40, 6), (20, 1))
    assert (first.storage_first, first.storage_end) == (-203, 2000 - 203)
    assert first.storage_shift == 203
    assert first.storage == second.storage != out.storage
    assert (first.uninitialised, out.uninitialised) == (False, True)


def test_an_output_that_was_filled_is_initialised():
    with tracing() as session:
        x = torch.randn(8)
        filled = torch.empty(8).zero_()
        add_kernel[(1,)](x, x, filled, 8, BLOCK=8)
        fresh = torch.empty(8)
        add_kernel[(1,)](x, x, fresh, 4, BLOCK=8)
        add_kernel[(1,)](x, x, fresh, 8, BLOCK=8)
    assert [trace.tensors[2].uninitialised for trace in session.traces] == [False, True, False]


def test_reading_what_was_never_written_is_noticed():
    with tracing() as session:
        x = torch.empty(8)
        add_kernel[(1,)](x, torch.zeros(8), torch.empty(8), 6, BLOCK=8)
    (event,) = session.traces[0].events
    assert (event.kind, event.line, event.lanes) == ("uninitialised-read", line_of("load x"), ((0, 5),))
    assert event.params["tensor"] == "x_ptr"


@triton.jit
def unguarded_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets - 2)
    tl.store(out_ptr + offsets, x + 1)


def test_lanes_outside_are_recorded_and_never_executed():
    memory = torch.zeros(64)
    x, out = memory[:20], torch.zeros(20)
    small = torch.zeros(20)
    with tracing() as session:
        unguarded_kernel[(2,)](small, out, BLOCK=16)
    load, store = session.traces[0].accesses
    assert np.argwhere(load.out).tolist() == [[0, 0], [0, 1]] + [[1, lane] for lane in range(6, 16)]
    assert np.argwhere(store.out).tolist() == [[1, lane] for lane in range(4, 16)]
    assert load.mask is None
    assert torch.equal(out, torch.ones(20))
    with tracing() as session:
        unguarded_kernel[(2,)](x, memory[20:40], BLOCK=16)
    load, store = session.traces[0].accesses
    assert np.argwhere(load.out).tolist() == [[0, 0], [0, 1]]
    assert store.out is None, "inside the storage, though outside the view"


@triton.jit
def loop_kernel(x_ptr, out_ptr, n):
    pid = tl.program_id(0)
    total = 0.0
    for i in range(pid):
        for j in range(n):
            total += tl.load(x_ptr + i * n + j)
    tl.store(out_ptr + pid, total)


def test_iterations_and_active_programs_of_a_divergent_loop():
    x, out = torch.arange(12.0), torch.zeros(4)
    with tracing() as session:
        loop_kernel[(4,)](x, out, 2)
    trace = session.traces[0]
    loads = [access for access in trace.accesses if trace.sites[access.site].op == "load"]
    seen = [(access.iteration, access.programs.tolist(), access.offsets.tolist()) for access in loads]
    assert seen == [
        ((0, 0), [1, 2, 3], [0]),
        ((0, 1), [1, 2, 3], [1]),
        ((1, 0), [2, 3], [2]),
        ((1, 1), [2, 3], [3]),
        ((2, 0), [3], [4]),
        ((2, 1), [3], [5]),
    ]
    assert out.tolist() == [0.0, 1.0, 6.0, 15.0]


@triton.jit
def helper(x_ptr, i):
    return tl.load(x_ptr + i)  # in helper


@triton.jit
def calling_kernel(x_ptr, out_ptr):
    pid = tl.program_id(0)
    tl.store(out_ptr + pid, helper(x_ptr, pid))


def test_device_functions_keep_their_own_lines():
    with tracing() as session:
        calling_kernel[(2,)](torch.zeros(2), torch.zeros(2))
    site = session.traces[0].sites[0]
    assert (site.op, site.line) == ("load", line_of("in helper"))


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
        (lambda x: add_kernel[4](x, x, x, 8, BLOCK=8), TypeError, "has no len"),
        (lambda x: add_kernel[(1,)](x, x, BLOCK=8), TypeError, "missing a required argument: 'out_ptr'"),
        (lambda x: add_kernel[(1,)](x, x, x, 8, BLOK=8), KeyError, "BLOK was specified but unrecognised"),
        (lambda x: add_kernel[(1, 65536)](x, x, x, 8, BLOCK=8), GridAxisTooLong, "65535"),
        (lambda x: add_kernel(x, x, x, 8, BLOCK=8), RuntimeError, "outside of the scope of a kernel"),
    ],
)
def test_host_mistakes_fail_as_on_a_gpu(launch, error, text):
    with tracing() as session, pytest.raises(error, match=text):
        launch(torch.zeros(8))
    assert session.traces == []


def test_launch_options_are_kept_apart():
    with tracing() as session:
        add(torch.randn(8), torch.randn(8), num_warps=8, num_stages=2)
    (launch,) = session.launches
    assert launch.options == {"num_warps": 8, "num_stages": 2}
    assert set(launch.arguments) == {"x_ptr", "y_ptr", "out_ptr", "n", "BLOCK"}
    assert launch.kernel is add_kernel
    assert launch.line == line_of("launch")


def test_everything_is_restored():
    with tracing():
        add(torch.randn(8), torch.randn(8))
        with pytest.raises(RuntimeError):
            add_kernel(1)
    with pytest.raises(ValueError, match="_semantic"):
        tl.load(None)
    with pytest.raises(RuntimeError, match="0 active drivers"):
        add(torch.randn(8), torch.randn(8))


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


def test_a_loop_that_stores_the_same_forever_makes_no_progress():
    with tracing(), pytest.raises(KernelError) as caught:
        stuck_kernel[(2,)](torch.zeros(1, dtype=torch.int32), 5)
    assert isinstance(caught.value.cause, NoProgress)
    assert caught.value.line == line_of("stuck")


def test_recording_stops_at_its_budget_but_the_kernel_goes_on():
    x, out = torch.ones(1 << 14), torch.zeros(64)
    with tracing(TraceOptions(memory_bytes=1 << 12)) as session:
        loop_kernel[(64,)](x, out, 16)
    (trace,) = session.traces
    assert not trace.complete
    assert "iteration" in trace.covered and trace.recorded_to is not None
    assert out.tolist() == [16.0 * pid for pid in range(64)]


def test_only_the_first_programs_when_asked():
    x = torch.randn(1024)
    with tracing(TraceOptions(programs=2)) as session:
        add(x, x, block=256)
    (trace,) = session.traces
    assert trace.covered == "programs 0 to 1 of 4"
    assert not trace.complete
    assert all(access.programs.tolist() == [0, 1] for access in trace.accesses)


def test_a_large_grid_goes_in_chunks():
    x = torch.randn(1 << 14)
    with tracing(TraceOptions(chunk_lanes=1 << 12)) as session:
        out = add(x, x, block=256)
    (trace,) = session.traces
    assert torch.equal(out, x + x)
    programs = [access.programs.tolist() for access in trace.accesses]
    assert max(map(len, programs)) == 16
    assert sorted(one for part in programs for one in part) == sorted(list(range(64)) * 3)


@triton.jit
def overflow_kernel(x_ptr, out_ptr, stride):
    row = tl.program_id(0)
    offset = row * stride  # overflows
    tl.store(out_ptr + row, tl.load(x_ptr + offset, mask=row != 3, other=0.0))  # used
    tl.store(out_ptr + 4, offset - offset)


def test_int32_overflow_is_noticed_where_it_is_born():
    with tracing() as session:
        overflow_kernel[(4,)](torch.zeros(8), torch.zeros(8), 1 << 30)
    events = [event for event in session.traces[0].events if event.kind == "int32-overflow"]
    address = events[0]
    assert (address.line, address.programs) == (line_of("overflows"), (2,))
    assert address.params["reaches"] == "address"
    assert address.params["value"] == 1 << 31
    assert address.params["wrapped"] == -(1 << 31)
    assert address.params["use_line"] == line_of("used")


@triton.jit
def hashing_kernel(out_ptr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    mixed = offsets.to(tl.uint32) * 2654435761
    wide = offsets.to(tl.int64) * (1 << 40)
    tl.store(out_ptr + offsets, (mixed >> 8).to(tl.int32) + (wide >> 40).to(tl.int32))


def test_unsigned_and_wide_integers_raise_no_overflow():
    with tracing() as session:
        hashing_kernel[(1,)](torch.zeros(16, dtype=torch.int32), BLOCK=16)
    assert session.traces[0].events == []


@triton.jit
def nan_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + lanes)
    tl.store(out_ptr + lanes, tl.sqrt(x) + 1)  # nan


def test_a_nan_is_noticed_where_it_is_born():
    with tracing() as session:
        nan_kernel[(1,)](torch.tensor([1.0, -4.0, 9.0, -1.0]), torch.zeros(4), BLOCK=4)
    (event,) = session.traces[0].events
    assert (event.kind, event.line, event.lanes) == ("nan-born", line_of("nan"), ((1, 1), (3, 3)))
    assert event.params["operands"] == [-4.0]


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
)(add_kernel)


def test_autotune_runs_the_first_config_or_all():
    x, out = torch.randn(32), torch.zeros(32)
    grid = lambda meta: (triton.cdiv(32, meta["BLOCK"]),)  # noqa: E731
    with tracing() as session:
        tuned[grid](x, x, out, 32)
    assert [launch.arguments["BLOCK"] for launch in session.launches] == [8]
    assert torch.equal(out, x + x)
    with tracing(TraceOptions(configs="all")) as session:
        tuned[grid](x, x, out, 32)
    assert [launch.arguments["BLOCK"] for launch in session.launches] == [8, 16, 8]


def test_lines_of_a_kernel_of_another_file_count_in_its_own():
    with tracing(file="nowhere.py") as session:
        add(torch.randn(8), torch.randn(8))
    trace = session.traces[0]
    assert trace.launched_in == trace.file == __file__
    assert trace.sites[0].line == line_of("load x")


def test_masked_lanes_without_other_can_be_made_to_matter():
    x, out = torch.full((10,), -5.0), torch.zeros(1)
    results = []
    for fill in ("zero", "high", "low"):
        with tracing(TraceOptions(masked_fill=fill)):
            maximum_kernel[(1,)](x, out, 10, BLOCK=16)
        results.append(out.item())
    assert results[0] == 0.0
    assert results[1] > 1e37
    assert results[2] == -5.0


@triton.jit
def maximum_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    tl.store(out_ptr, tl.max(tl.load(x_ptr + lanes, mask=lanes < n), axis=0))


def test_an_empty_grid_does_nothing():
    with tracing() as session:
        add_kernel[(0,)](torch.zeros(1), torch.zeros(1), torch.zeros(1), 0, BLOCK=8)
    (trace,) = session.traces
    assert trace.complete
    assert trace.accesses == []


def test_empty_tensors_are_out_of_bounds_everywhere():
    with tracing() as session:
        add_kernel[(1,)](torch.zeros(0), torch.zeros(4), torch.zeros(4), 4, BLOCK=4)
    assert session.traces[0].accesses[0].out.sum() == 4


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
