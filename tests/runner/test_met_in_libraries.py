"""Ways of writing kernels and host code that libraries of kernels have, and lessons don't: traced without an alarm."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
import triton
import triton.language as tl

from tritontui.runner.lockstep import KernelError, tracing
from tritontui.runner.tracing.trace import TracedRun, trace_call

SOURCE = Path(__file__).read_text(encoding="utf-8")


def traced(function, *arguments, **options) -> TracedRun:
    run = trace_call(function, arguments, file=__file__, source=SOURCE, **options)
    if run.failure is not None:
        raise run.failure
    return run


def serious(run: TracedRun) -> list[tuple[str, str]]:
    return [(finding.id, finding.severity) for finding in run.findings if finding.severity != "note"]


@triton.jit
def wrapped_rows_kernel(a_ptr, out_ptr, M, K, BLOCK: tl.constexpr):
    rows = (tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)) % M
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, K, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        tile = tl.load(a_ptr + rows[:, None] * K + columns[None, :], mask=columns[None, :] < K, other=0.0)
        total += tl.sum(tile, axis=1)
    own = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + own, total, mask=own < M)


def test_rows_taken_modulo_their_number_are_no_exchanged_mask() -> None:
    """Lanes past the last row read earlier ones again, which hurts nobody."""

    def sums(a):
        out = torch.empty(a.shape[0])
        wrapped_rows_kernel[(2,)](a, out, *a.shape, BLOCK=16)
        return out

    a = torch.rand(20, 38)
    run = traced(sums, a)
    torch.testing.assert_close(run.result, a.sum(1))
    assert serious(run) == []


@triton.jit
def gathered_kernel(x_ptr, index_ptr, out_ptr, n, row_stride, width, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    chosen = tl.load(index_ptr + offs, mask=mask, other=0)
    tl.store(out_ptr + offs, tl.load(x_ptr + offs // width * row_stride + chosen, mask=mask), mask=mask)


def test_an_axis_of_stride_zero_may_be_walked_by_the_kernel_itself() -> None:
    def gathered(x, index):
        out = torch.empty(index.shape)
        restrided = x.as_strided(index.shape, (x.stride(0), 0))
        gathered_kernel[(3,)](restrided, index, out, index.numel(), x.stride(0), index.shape[1], BLOCK=32)
        return out

    x, index = torch.rand(7, 30), torch.randint(0, 30, (7, 12))
    run = traced(gathered, x, index)
    assert torch.equal(run.result, x.gather(1, index))
    assert serious(run) == []


class Address:
    """A pointer with a type, and nothing else."""

    def __init__(self, address: int, dtype: torch.dtype) -> None:
        self.address, self.dtype = address, dtype

    def data_ptr(self) -> int:
        return self.address


class Reversed(Address):
    """A view that torch can't make, over a tensor it keeps."""

    def __init__(self, base: torch.Tensor) -> None:
        self.base = base
        super().__init__(base.data_ptr() + (base.numel() - 1) * base.element_size(), base.dtype)


@triton.jit
def backwards_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    tl.store(out_ptr + offs, tl.load(x_ptr - offs, mask=offs < n), mask=offs < n)


def test_objects_that_only_have_an_address_are_pointers_into_its_storage() -> None:
    def turned(x, make):
        out = torch.empty_like(x)
        backwards_kernel[(1,)](make(x), out, x.numel(), BLOCK=32)
        return out

    x = torch.rand(20)
    last = x.element_size() * (x.numel() - 1)
    for make in (Reversed, lambda x: Address(x.data_ptr() + last, x.dtype)):
        run = traced(turned, x, make)
        assert torch.equal(run.result, x.flip(0)) and serious(run) == []
    run = traced(lambda x: backwards_kernel[(1,)](Reversed(x), torch.empty(32), 21, BLOCK=32), x)
    assert ("out-of-bounds-read", "error") in serious(run)
    with pytest.raises(TypeError, match="no tensor is known"):
        traced(lambda: backwards_kernel[(1,)](Address(8, torch.float32), x, 20, BLOCK=32))


@triton.jit
def largest_of(dtype: tl.constexpr):
    kind = dtype.value
    if kind.is_floating():
        return float("inf")
    if kind.is_int_signed():
        width: tl.constexpr = kind.int_bitwidth
        return 2 ** (width - 1) - 1
    raise ValueError("no such number")


@triton.jit
def constants_kernel(out_ptr, factor, KIND: tl.constexpr):
    width = 2 * factor if factor >= 3 else 2.0
    tl.store(out_ptr, (width + 0.5).to(tl.int32) + 0 * largest_of(KIND))


def test_constants_are_unwrapped_and_what_the_compiler_leaves_out_is_left_out() -> None:
    """``dtype.value``, a ``raise`` on the side of a constant that isn't taken, a constant chosen by a condition."""
    out = torch.zeros(1, dtype=torch.int32)
    for factor, kind, right in ((1, tl.int32, 2), (4, tl.int64, 8)):
        traced(lambda factor=factor, kind=kind: constants_kernel[(1,)](out, factor, kind))
        assert out.item() == right
    with tracing(), pytest.raises(KernelError, match="Raise"):
        constants_kernel[(1,)](out, 1, tl.uint8)


@triton.autotune([triton.Config({"BLOCK": 64}), triton.Config({"BLOCK": 8})], key=[])
@triton.jit
def narrow_kernel(out_ptr, MOST: tl.constexpr, BLOCK: tl.constexpr):
    tl.static_assert(BLOCK <= MOST)
    tl.store(out_ptr + tl.arange(0, BLOCK), BLOCK)


def test_a_tuner_leaves_out_configs_whose_static_assertion_fails() -> None:
    run = traced(lambda out: narrow_kernel[(1,)](out, 16), out := torch.zeros(8))
    assert out.tolist() == [8.0] * 8 and [trace.scalars["BLOCK"] for trace in run.traces] == [8]
    assert serious(run) == []
    with tracing(), pytest.raises(KernelError):
        narrow_kernel[(1,)](out, 4)


@triton.autotune([triton.Config({"BLOCK": 8}), triton.Config({"BLOCK": 16})], key=[])
@triton.jit
def two_results_kernel(x_ptr, twice_ptr, half_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n)
    tl.store(twice_ptr + offs, x * 2, mask=offs < n)
    tl.store(half_ptr + offs, x / 2, mask=offs < n)


def test_tuning_is_compared_by_the_names_of_the_arguments() -> None:
    x, twice, half = torch.rand(20), torch.empty(20), torch.empty(20)
    grid = lambda meta: (triton.cdiv(20, meta["BLOCK"]),)  # noqa: E731
    run = traced(lambda: two_results_kernel[grid](n=20, half_ptr=half, twice_ptr=twice, x_ptr=x))
    assert serious(run) == []


@triton.jit
def two_loops_kernel(out_ptr, short, first, last):
    rounds = 0
    if tl.program_id(0) > 0:
        for i in range(short):
            rounds += 1 + 0 * i
    if tl.program_id(0) > 1:
        for i in range(first, last):
            rounds += (1 + 0 * i).to(tl.int32)
    tl.store(out_ptr + tl.program_id(0), rounds)


def test_two_loops_may_give_one_name_two_types() -> None:
    out = torch.zeros(3, dtype=torch.int32)
    with tracing():
        two_loops_kernel[(3,)](out, 3, 1 << 33, (1 << 33) + 4)
    assert out.tolist() == [0, 3, 7]


@triton.jit
def exchanged_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr, ADDED: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    pairs = tl.reshape(tl.load(x_ptr + offs, mask=offs < n, other=-5.0), (BLOCK // 2, 2))
    second = tl.arange(0, 2)[None, :]
    left = tl.sum(tl.where(second == 0, pairs, 0), 1)
    right = tl.sum(pairs if ADDED else tl.where(second == 1, pairs, 0), 1)
    larger = left + right if ADDED else tl.where(left > right, left, right)
    tl.store(out_ptr + tl.arange(0, BLOCK // 2), larger)


@pytest.mark.parametrize("added", [False, True])
def test_a_sum_that_picks_one_lane_counts_no_padding(added: bool) -> None:
    """Sorting networks of one's own exchange lanes so."""
    run = traced(lambda x: exchanged_kernel[(1,)](x, torch.empty(4), 5, BLOCK=8, ADDED=added), torch.rand(5) + 6)
    assert serious(run) == ([("wrong-padding-value", "error")] if added else [])


def test_what_libraries_ask_of_a_gpu_is_answered(tmp_path: Path) -> None:
    from tritontui.runner.compiler.target import compiling_for
    from tritontui.runner.no_gpu.cuda_on_cpu import cuda_on_cpu

    with compiling_for("sm_86"), cuda_on_cpu():
        asked: dict[str, Any] = {
            "capability": torch.cuda.get_device_capability(),
            "shared": torch.cuda.get_device_properties(0).shared_memory_per_block_optin,
            "stream": torch.cuda.current_stream().cuda_stream,
            "seeded": torch.manual_seed(7) and torch.cuda.default_generators[0].get_state().view(torch.int64).tolist(),
            "drawn": torch.rand(2, device="cuda", generator=torch.Generator(device="cuda").manual_seed(3)).shape,
            "pinned": torch.empty(3, pin_memory=True).pin_memory().shape,
        }
        with torch.cuda.stream(torch.cuda.Stream()), torch.cuda.nvtx.range("named"):
            torch.cuda.synchronize()
        names = ("synchronize", "empty_cache", "set_device", "manual_seed", "manual_seed_all", "memory_allocated")
        assert len({getattr(torch.cuda, name) for name in names}) == len(names), "torch.compile keeps them apart"
    assert asked == {
        "capability": (8, 6),
        "shared": 99 * 1024,
        "stream": 0,
        "seeded": [7, 0],
        "drawn": (2,),
        "pinned": (3,),
    }


@triton.jit
def product_kernel(x_ptr, w_ptr, out_ptr, K, swk, swn, M: tl.constexpr, N: tl.constexpr, BK: tl.constexpr):
    rows, columns, inner = tl.arange(0, M), tl.arange(0, N), tl.arange(0, BK)
    x_ptrs = x_ptr + rows[:, None] * K + inner[None, :]
    w_ptrs = w_ptr + inner[:, None] * swk + columns[None, :] * swn
    total = tl.zeros((M, N), tl.float32)
    for _ in range(0, K, BK):
        total += tl.dot(tl.load(x_ptrs), tl.load(w_ptrs))
        x_ptrs += BK
        w_ptrs += BK * swk
    tl.store(out_ptr + rows[:, None] * N + columns[None, :], total)


def test_a_block_that_moves_along_its_own_axis_ignores_no_stride() -> None:
    """From tile to tile it goes 64 elements along an axis of stride 1, and a row of the transposed view has 64, too."""

    def product(x, weight):
        out = torch.empty(16, 64)
        product_kernel[(1,)](x, weight, out, 256, *weight.stride(), M=16, N=64, BK=64)
        return out

    x, weight = torch.rand(16, 256, dtype=torch.float16), torch.rand(64, 256, dtype=torch.float16)
    assert serious(traced(product, x, weight.t())) == []


@triton.jit
def skipping_kernel(index_ptr, out_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(1)
    index = tl.load(index_ptr + row)
    if index == -1:
        return
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + row * n + offs, index, mask=offs < n)


def test_programs_that_all_leave_early_use_their_id_elsewhere() -> None:
    def skip(index):
        out = torch.zeros(2, 100)
        skipping_kernel[(4, 2)](index, out, 100, BLOCK=32)
        return out

    assert serious(traced(skip, torch.tensor([-1, -1]))) == []


@triton.jit
def after_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    low = float("-inf")
    low = low.to(x_ptr.dtype.element_ty)
    x = tl.load(x_ptr + offs, mask=offs < n, other=0.0)
    tl.store(out_ptr + offs, tl.where(offs > 3, low, x), mask=offs < n)


def test_a_number_in_a_variable_is_a_tensor_as_for_the_compiler() -> None:
    def after(x):
        out = torch.empty_like(x)
        after_kernel[(1,)](x, out, 8, BLOCK=8)
        return out

    run = traced(after, torch.rand(8))
    assert run.result[3].isfinite() and run.result[4] == -torch.inf and serious(run) == []


@triton.jit
def weighted_kernel(q_ptr, k_ptr, v_ptr, out_ptr, n, D, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    rows, columns = tl.arange(0, ROWS), tl.arange(0, COLUMNS)
    at = rows[:, None] * D + columns[None, :]
    inside = (rows[:, None] < n) & (columns[None, :] < D)
    q = tl.load(q_ptr + at, mask=inside)
    k = tl.load(k_ptr + at, mask=inside)
    v = tl.load(v_ptr + at, mask=inside)
    weights = tl.dot(q, tl.trans(k))
    tl.store(out_ptr + at, tl.dot(weights.to(tl.float16), v), mask=inside)


def test_of_undefined_lanes_that_only_matter_together_no_others_are_blamed() -> None:
    """Padded columns meet in the first product; those of ``v`` go into columns that nobody stores."""

    def weighted(q, k, v):
        out = torch.empty(16, 24, dtype=torch.float16)
        weighted_kernel[(1,)](q, k, v, out, 16, 24, ROWS=16, COLUMNS=32)
        return out

    run = traced(weighted, *(torch.rand(16, 24, dtype=torch.float16) for _ in range(3)))
    blamed = {finding.tensor for finding in run.findings if finding.id == "masked-load-without-other"}
    assert blamed == {"q_ptr", "k_ptr"} and len(serious(run)) == 2


@triton.jit
def both_kernel(seed_ptr, out_ptr, N: tl.constexpr):
    offs = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(out_ptr + offs, tl.load(seed_ptr + offs))


def test_an_expanded_input_is_what_lacks_its_strides_not_the_output() -> None:
    """As a gradient comes from ``sum().backward()``: every stride is 0."""

    def copied(seed):
        out = torch.empty(2, 4, 16)
        both_kernel[(8,)](seed, out, N=16)
        return out

    run = traced(copied, torch.ones(()).expand(2, 4, 16))
    assert {finding.id for finding in run.findings if finding.severity == "error"} <= {
        "stride-ignored", "out-of-bounds-read",
    }  # fmt: skip
    assert {finding.tensor for finding in run.findings if finding.severity == "error"} == {"seed_ptr"}


@triton.jit
def rotated_kernel(x_ptr, cos_ptr, out_ptr, width, HALF: tl.constexpr):
    row, half = tl.program_id(0), tl.arange(0, HALF)
    cos = tl.load(cos_ptr + row * width + half)
    first = tl.load(x_ptr + row * width + half)
    second = tl.load(x_ptr + row * width + half + HALF)
    tl.store(out_ptr + row * width + half, first * cos - second)
    tl.store(out_ptr + row * width + half + HALF, second * cos + first)


def test_a_table_of_angles_may_hold_each_half_twice() -> None:
    def rotated(x, cos):
        out = torch.empty_like(x)
        rotated_kernel[(8,)](x, cos, out, 64, HALF=32)
        return out

    assert serious(traced(rotated, torch.rand(8, 64), torch.rand(8, 64))) == []


@triton.jit
def first_columns_kernel(x_ptr, out_ptr, M, N, tile, BLOCK: tl.constexpr):
    rows = tl.arange(0, BLOCK)
    columns = tile * BLOCK + tl.arange(0, BLOCK)
    inside = (rows[:, None] < M) & (columns[None, :] < N)
    x = tl.load(x_ptr + rows[:, None] * N + columns[None, :], mask=inside)
    tl.store(out_ptr + rows[:, None] * N + columns[None, :], x, mask=inside)


def test_a_tile_whose_columns_begin_where_it_is_told_truncates_no_row() -> None:
    """Another launch reads the rest."""

    def copied(x):
        out = torch.zeros_like(x)
        for tile in range(2):
            first_columns_kernel[(1,)](x, out, 16, 48, tile, BLOCK=16)
        return out

    assert serious(traced(copied, torch.rand(16, 48))) == []
