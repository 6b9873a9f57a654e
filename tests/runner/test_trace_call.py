"""A host function traced: findings of real kernels, experiments included, and the map's questions about them."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
import triton
import triton.language as tl

from tritontui.analysis.trace import Trace
from tritontui.diagnosis import identifiers
from tritontui.diagnosis.catalogue import entry
from tritontui.engine.messages import InspectRequest, TileRequest
from tritontui.runner.session import Session
from tritontui.runner.tracing.trace import CallOptions, TracedRun, inspect, tile, trace_call

SOURCE = Path(__file__).read_text(encoding="utf-8")


def traced(function, *arguments, **options) -> TracedRun:
    run = trace_call(function, arguments, file=__file__, source=SOURCE, **options)
    for finding in run.findings:
        known = set(entry(finding.id).params)
        assert finding.id in identifiers() and known <= set(finding.params), finding
    return run


def serious(run: TracedRun) -> list[tuple[str, str]]:
    return [(finding.id, finding.severity) for finding in run.findings if finding.severity != "note"]


def line_of(text: str) -> int:
    """Line of this file that holds ``text`` (once)."""
    (number,) = [n for n, line in enumerate(SOURCE.splitlines(), 1) if text in line and "line_of" not in line]
    return number


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    y = tl.load(y_ptr + offs, mask=mask)
    tl.store(out_ptr + offs, x + y, mask=mask)  # add


def add(x, y):
    out = torch.empty_like(x)
    add_kernel[(triton.cdiv(x.numel(), 256),)](x, y, out, x.numel(), BLOCK=256)
    return out


def test_a_right_addition() -> None:
    x, y = torch.rand(1000), torch.rand(1000)
    run = traced(add, x, y, outputs=("out_ptr",))
    assert run.failure is None and serious(run) == []
    assert torch.equal(run.result, x + y)
    (summary,) = run.summaries
    assert (summary.kernel, summary.grid, summary.scalars) == ("add_kernel", [4], {"n": 1000, "BLOCK": 256})
    store = summary.sites[-1]
    assert (store.op, store.tensor, store.line) == ("store", "out_ptr", line_of("# add"))
    assert (store.programs, store.lanes_on, store.lanes_off, store.sectors, store.sectors_ideal) == (
        4,
        1000,
        24,
        125,
        125,
    )
    assert store.affine is not None
    assert [(t.name, t.stride, t.extent) for t in store.affine.terms] == [("pid0", 256, 4), ("lane0", 1, 256)]
    assert run.launches[0].grid == (4,) and run.launches[0].arguments["n"] == 1000


def test_the_map_asks_about_kept_traces() -> None:
    session = Session("cpu", "sm_90")
    run = traced(add, torch.rand(1000), torch.rand(1000))
    session.keep_traces(7, run.traces)
    question = TileRequest(run=7, request=1, launch=0, site=2, program=3, first=0, cells=4, zoom=256)
    assert [cell.selected for cell in tile(question, session).cells] == [0, 0, 0, 232]
    answer = inspect(InspectRequest(run=7, request=2, launch=0, site=2, program=3, lane=231), session)
    assert (answer.formula, answer.names) == ("3·256 + 231 = 999", {"pid": "3", "BLOCK": "256"})
    for gone in (TileRequest(run=8, request=1, launch=0, site=0, program=0, first=0, cells=1, zoom=1),):
        with pytest.raises(LookupError):
            tile(gone, session)


def test_the_host_function_runs_once_and_keeps_its_arguments() -> None:
    calls = []

    def counting(x, y):
        calls.append(1)
        return add(x, y)

    x = torch.rand(1000)
    before = x.clone()
    traced(counting, x, x)
    assert calls == [1] and torch.equal(x, before)


@triton.jit
def rows_kernel(x_ptr, out_ptr, n_cols, BLOCK: tl.constexpr, PADDING: tl.constexpr, GIVEN: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    if GIVEN:
        x = tl.load(x_ptr + row * n_cols + cols, mask=cols < n_cols, other=PADDING)  # given
    else:
        x = tl.load(x_ptr + row * n_cols + cols, mask=cols < n_cols)  # not given
    tl.store(out_ptr + row, tl.max(x, axis=0))  # maximum


def row_maxima(x, padding, given):
    out = torch.empty(x.shape[0])
    rows_kernel[(x.shape[0],)](x, out, x.shape[1], BLOCK=8, PADDING=padding, GIVEN=given)
    return out


class TestPadding:
    def test_undefined_lanes_that_reach_the_output(self) -> None:
        run = traced(row_maxima, -torch.rand(4, 5) - 1, 0.0, False)
        (finding,) = run.findings
        assert (finding.id, finding.severity, finding.line) == (
            "masked-load-without-other",
            "warning",
            line_of("# not given"),
        )
        assert (finding.params["masked"], finding.params["lanes_total"], finding.params["reduction"]) == (3, 8, "max")
        assert (finding.params["neutral"], finding.params["store_line"]) == ('-float("inf")', line_of("# maximum"))

    def test_a_padding_that_wins(self) -> None:
        run = traced(row_maxima, -torch.rand(4, 5) - 1, 0.0, True)
        (finding,) = run.findings
        assert (finding.id, finding.severity, finding.line) == ("wrong-padding-value", "error", line_of("# given"))
        assert (finding.params["other"], finding.params["reduction"]) == ("PADDING", "max")
        assert finding.params["neutral"] == '-float("inf")'

    @pytest.mark.parametrize(("padding", "negative"), [(-float("inf"), True), (0.0, False)])
    def test_a_padding_that_never_counts(self, padding: float, negative: bool) -> None:
        x = torch.rand(4, 5) + 1
        assert serious(traced(row_maxima, -x if negative else x, padding, True)) == []

    def test_no_experiments_on_demand(self) -> None:
        run = traced(row_maxima, -torch.rand(4, 5) - 1, 0.0, False, options=CallOptions(experiments=False))
        assert run.findings == []


@triton.jit
def times(a, b):
    return a * b


@triton.jit
def mean_of_both(mean, weight, other_mean, other_weight):
    total = weight + other_weight
    return (mean * weight + other_mean * other_weight) / tl.maximum(total, 1.0), total


@triton.jit
def combined_kernel(x_ptr, out_ptr, n_cols, BLOCK: tl.constexpr, PADDING: tl.constexpr, COUNTED: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + tl.program_id(0) * n_cols + cols, mask=mask, other=PADDING)  # combined
    tl.store(out_ptr + tl.program_id(0), tl.reduce(x, 0, times))
    mean, _ = tl.reduce((x, tl.where(mask | COUNTED, 1.0, 0.0)), 0, mean_of_both)
    tl.store(out_ptr + tl.num_programs(0) + tl.program_id(0), mean)


@pytest.mark.parametrize(
    ("padding", "counted", "reductions"),
    [(1.0, False, []), (0.0, False, ["times"]), (1.0, True, ["mean_of_both"]), (2.0, True, ["mean_of_both", "times"])],
)
def test_padding_in_combine_functions_of_the_learners_own(padding: float, counted: bool, reductions: list[str]) -> None:
    out = torch.empty(8)
    run = traced(
        lambda x: combined_kernel[(4,)](x, out, 5, BLOCK=8, PADDING=padding, COUNTED=counted), torch.rand(4, 5) + 2
    )
    assert [finding.id for finding in run.findings] == ["wrong-padding-value"] * bool(reductions)
    assert all(finding.line == line_of("# combined") for finding in run.findings)
    assert all(finding.params["reduction"] in reductions for finding in run.findings)


@triton.jit
def two_loads_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n)  # innocent
    y = tl.load(y_ptr + offs, mask=offs < n)  # guilty
    tl.store(out_ptr + offs, x, mask=offs < n)
    tl.store(out_ptr + n, tl.sum(y, axis=0))


def test_of_two_loads_the_guilty_one_is_named() -> None:
    out = torch.empty(6)
    run = traced(lambda x: two_loads_kernel[(1,)](x, x, out, 5, BLOCK=8), torch.rand(5))
    assert [(f.id, f.line) for f in run.findings] == [("masked-load-without-other", line_of("# guilty"))]


@triton.jit
def variance_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr, MENDED: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask, other=0.0)  # variance
    d = x - tl.sum(x, axis=0) / n
    if MENDED:
        d = tl.where(mask, d, 0.0)
    tl.store(out_ptr, tl.sum(d * d, axis=0) / n)


@pytest.mark.parametrize("mended", [False, True])
def test_padding_that_is_moved_before_it_is_counted(mended: bool) -> None:
    run = traced(lambda x: variance_kernel[(1,)](x, torch.empty(1), 5, BLOCK=8, MENDED=mended), torch.rand(5) + 3)
    found = [(f.id, f.line, f.params["reduction"], f.params["neutral"]) for f in run.findings]
    assert found == ([] if mended else [("wrong-padding-value", line_of("# variance"), "sum", "")]), "0 was no help"


@triton.jit
def looped_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    acc = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, n, BLOCK):
        offs = start + tl.arange(0, BLOCK)
        acc += tl.load(x_ptr + offs, mask=offs < n, other=0.0)
    tl.store(out_ptr, tl.max(acc, axis=0))


def test_an_accumulator_that_took_padding_in_is_not_padding() -> None:
    assert serious(traced(lambda x: looped_kernel[(1,)](x, torch.empty(1), 13, BLOCK=8), -torch.rand(13))) == []


def quick(fn, quantiles):
    fn()
    return [1.0, 1.0, 1.0]


CONFIGS = [triton.Config({"BLOCK": 32}), triton.Config({"BLOCK": 64})]


@triton.autotune(configs=CONFIGS, key=["n"], do_bench=quick)  # tuned
@triton.jit
def total_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out_ptr, tl.sum(tl.load(x_ptr + offs, mask=offs < n, other=0.0), axis=0))


@triton.autotune(configs=CONFIGS, key=["n"], do_bench=quick, reset_to_zero=["out_ptr"])
@triton.jit
def reset_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out_ptr, tl.sum(tl.load(x_ptr + offs, mask=offs < n, other=0.0), axis=0))


@pytest.mark.parametrize(("kernel", "wrong"), [(total_kernel, True), (reset_kernel, False)])
def test_tuning_that_adds_to_the_output(kernel, wrong: bool) -> None:
    def total(x):
        out = torch.zeros(1)
        kernel[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](x, out, x.numel())
        return out

    run = traced(total, torch.ones(120))
    assert run.result.item() == 120
    found = [(f.id, f.line, f.tensor, f.params["value"], f.params["other_value"]) for f in run.findings]
    assert found == ([("autotune-side-effect", line_of("# tuned"), "out_ptr", "120", "360")] if wrong else [])


@triton.jit
def ticket_kernel(counter_ptr, out_ptr):
    ticket = tl.atomic_add(counter_ptr, 1)  # ticket
    tl.store(out_ptr + ticket, tl.program_id(0))


def test_results_that_depend_on_who_comes_first() -> None:
    counter, out = torch.zeros(1, dtype=torch.int32), torch.empty(8, dtype=torch.int32)
    run = traced(lambda: ticket_kernel[(8,)](counter, out))
    assert [(f.id, f.severity, f.line, f.tensor) for f in run.findings] == [
        ("nondeterministic", "warning", line_of("# ticket"), "out_ptr")
    ]


def test_an_output_is_what_the_host_returns() -> None:
    def padded(x, y):
        out = torch.empty(1024)
        add_kernel[(4,)](x, y, out, 1000, BLOCK=256)
        return out[:1000]

    def short(x, y):
        out = torch.empty(1024)
        add_kernel[(4,)](x, y, out, 1000, BLOCK=256)
        return out

    x = torch.rand(1000)
    assert serious(traced(padded, x, x)) == []
    run = traced(short, x, x)
    (finding,) = run.findings
    assert (finding.id, finding.params["index"], finding.params["count"]) == ("never-written", 1000, 24)
    assert finding.file is None, "the line counts in the learner's own file"


@triton.jit
def fill_kernel(out_ptr, start, BLOCK: tl.constexpr):
    tl.store(out_ptr + start + tl.arange(0, BLOCK), 1.0)


def test_launches_that_share_the_work() -> None:
    def halves():
        out = torch.empty(64)
        fill_kernel[(1,)](out, 0, BLOCK=32)
        fill_kernel[(1,)](out, 32, BLOCK=32)
        return out

    assert serious(traced(halves)) == []


@triton.jit
def log_kernel(x_ptr, out_ptr):
    tl.store(out_ptr, tl.log(tl.load(x_ptr)))  # logarithm


@pytest.mark.parametrize(
    ("expected", "severity"), [(None, "warning"), (torch.zeros(1), "error"), (torch.tensor([float("nan")]), None)]
)
def test_a_nan_is_judged_by_the_right_answer(expected, severity: str | None) -> None:
    def logarithm(x):
        out = torch.empty(1)
        log_kernel[(1,)](x, out)
        return out

    run = traced(logarithm, torch.tensor([-1.0]), expected=expected)
    assert [(f.severity, f.line) for f in run.findings if f.id == "nan-born"] == (
        [] if severity is None else [(severity, line_of("# logarithm"))]
    )


@triton.jit
def wild_kernel(x_ptr, out_ptr):
    tl.store(out_ptr, tl.load(x_ptr + 5))
    tl.static_assert(False, "stop")


def test_an_exception_is_kept_with_what_was_seen_before() -> None:
    def host(x):
        add_kernel[(1,)](x, x, torch.empty(300), 300, BLOCK=256)
        raise ValueError("mine")

    run = traced(host, torch.rand(200))
    assert isinstance(run.failure, ValueError) and run.result is None
    assert ("out-of-bounds-read", "error") in serious(run)


def test_a_kernel_that_stops_leaves_its_partial_trace() -> None:
    run = traced(lambda x: wild_kernel[(1,)](x, torch.empty(1)), torch.rand(8))
    assert run.failure is not None and len(run.traces) == 1
    assert isinstance(run.traces[0], Trace) and not run.traces[0].complete
