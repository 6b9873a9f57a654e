"""What a trace records."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import torch
import triton
import triton.language as tl
from marked import marked_line

from tritontui.runner.lockstep import (
    TraceOptions,
    tracing,
)

line_of = partial(marked_line, __file__)


def column_of(marker: str, text: str) -> int:
    return Path(__file__).read_text().splitlines()[line_of(marker) - 1].index(text) + 1


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


def test_launch_options_are_kept_apart():
    with tracing() as session:
        add(torch.randn(8), torch.randn(8), num_warps=8, num_stages=2)
    (launch,) = session.launches
    assert launch.options == {"num_warps": 8, "num_stages": 2}
    assert set(launch.arguments) == {"x_ptr", "y_ptr", "out_ptr", "n", "BLOCK"}
    assert launch.kernel is add_kernel
    assert launch.line == line_of("launch")


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


def test_empty_tensors_are_out_of_bounds_everywhere():
    with tracing() as session:
        add_kernel[(1,)](torch.zeros(0), torch.zeros(4), torch.zeros(4), 4, BLOCK=4)
    assert session.traces[0].accesses[0].out.sum() == 4
