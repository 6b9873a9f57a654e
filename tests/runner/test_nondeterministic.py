"""The same call twice, and the programs in another order: what differs is said; a right kernel gets nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
import triton
import triton.language as tl

from tritontui.diagnosis import explain
from tritontui.engine.messages import CaseDone, Found, Judge
from tritontui.runner.judge import judge
from tritontui.runner.session import Session
from tritontui.runner.tracing.trace import trace_call

SOURCE = Path(__file__).read_text(encoding="utf-8")


def line_of(text: str) -> int:
    (number,) = [n for n, line in enumerate(SOURCE.splitlines(), 1) if text in line and "line_of" not in line]
    return number


def found_in(function, *arguments):
    run = trace_call(function, arguments, file=__file__, source=SOURCE)
    assert run.failure is None, run.failure
    return [finding for finding in run.findings if finding.severity != "note"]


# ---------------------------------------------------------------- another order


@triton.jit
def arrivals_kernel(counter_ptr, out_ptr):
    ticket = tl.atomic_add(counter_ptr, 1)  # by arrival
    tl.store(out_ptr + ticket, tl.program_id(0))


@triton.jit
def sum_of_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    tl.store(out_ptr, tl.sum(tl.load(x_ptr + tl.arange(0, BLOCK)), axis=0))


@triton.jit
def first_of_kernel(x_ptr, out_ptr):
    tl.store(out_ptr, tl.load(x_ptr))


@triton.jit
def last_adds_kernel(x_ptr, parts_ptr, counter_ptr, out_ptr, PROGRAMS: tl.constexpr):
    pid = tl.program_id(0)
    ticket = tl.atomic_add(counter_ptr, 1)
    tl.store(parts_ptr + ticket, tl.load(x_ptr + pid))
    done = tl.atomic_add(counter_ptr + 1, 1)
    if done == PROGRAMS - 1:
        tl.store(out_ptr, tl.sum(tl.load(parts_ptr + tl.arange(0, PROGRAMS)), axis=0))


def zeros(n):
    return torch.zeros(n, dtype=torch.int32)


def test_a_result_in_the_order_of_arrival() -> None:
    def arrivals():
        out = torch.empty(8, dtype=torch.int32)
        arrivals_kernel[(8,)](zeros(1), out)
        return out

    (found,) = found_in(arrivals)
    assert (found.id, found.severity, found.line) == ("nondeterministic", "warning", line_of("# by arrival"))
    assert found.tensor == "out_ptr"
    params = found.params
    assert (params["size"], params["again"]) == (8, False)
    assert params["value"] == str(params["index"]) != params["other_value"]
    assert "`out_ptr" in explain(found, "en").title and "order of the programs" in explain(found, "en").title
    assert "dall'ordine dei programmi" in explain(found, "it").title


def test_scratch_in_the_order_of_arrival_whose_sum_is_always_the_same() -> None:
    def total():
        parts, out = zeros(8), zeros(1)
        arrivals_kernel[(8,)](zeros(1), parts)
        sum_of_kernel[(1,)](parts, out, BLOCK=8)
        return out

    assert found_in(total) == []


def test_scratch_in_the_order_of_arrival_from_which_the_result_is_taken() -> None:
    def first():
        parts, out = zeros(8), zeros(1)
        arrivals_kernel[(8,)](zeros(1), parts)
        first_of_kernel[(1,)](parts, out)
        return out

    assert [(one.id, one.tensor) for one in found_in(first)] == [("nondeterministic", "out_ptr")]


def test_partial_sums_that_the_last_program_adds_up() -> None:
    x = torch.arange(8, dtype=torch.int32)

    def total(x):
        parts, out = zeros(8), zeros(1)
        last_adds_kernel[(8,)](x, parts, zeros(2), out, PROGRAMS=8)
        return out

    assert found_in(total, x) == []
    assert found_in(lambda x: total(x) and None, x) == []  # as in a script, where nobody knows what is the result


# ---------------------------------------------------------------- a second call

SPECIFICATION = """
import torch
from tritontui.runner.spec import Case, Exercise


def inputs(case, generator):
    return [torch.randn(case["n"], generator=generator)]


EXERCISE = Exercise(
    entry="double",
    kernel="double_kernel",
    outputs=("out_ptr",),
    inputs=inputs,
    reference=lambda x: 2 * x,
    cases=[Case("n = 100", {"n": 100}), Case("n = 128", {"n": 128})],
    trace_case=Case("n = 100", {"n": 100}),
)
"""

SOLUTION = """import random

import torch
import triton
import triton.language as tl

kept = {}


@triton.jit
def double_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    tl.store(out_ptr + offs, 2 * x, mask=mask)


def double(x):
    out = torch.empty_like(x)
    double_kernel[(triton.cdiv(x.numel(), 64),)](x, out, x.numel(), BLOCK=64)
    return out
"""
ADDS = SOLUTION.replace("tl.store(out_ptr + offs, 2 * x", "tl.atomic_add(out_ptr + offs, 2 * x")
KEPT = "out = kept.setdefault(x.shape, torch.zeros_like(x))"


@pytest.fixture
def judged(tmp_path):
    (tmp_path / "exercise.py").write_text(SPECIFICATION)

    def run(source, stages=("trace", "legality", "cases")):
        replies = []
        request = Judge(run=1, exercise=str(tmp_path), source=source, filename="mine.py", stages=list(stages))
        judge(request, replies.append, Session(device="cpu", target="sm_90"))
        findings = [finding for reply in replies if isinstance(reply, Found) for finding in reply.findings]
        return findings, [reply.result.passed for reply in replies if isinstance(reply, CaseDone)]

    return run


def test_an_output_kept_from_call_to_call(judged) -> None:
    source = ADDS.replace("out = torch.empty_like(x)", KEPT)
    findings, _ = judged(source)
    found = findings[0]
    assert (found.id, found.severity) == ("nondeterministic", "error")
    assert source.splitlines()[found.line - 1] == "def double(x):"
    params = found.params
    assert (params["again"], params["entry"], params["count"], params["size"]) == (True, "double", 100, 100)
    assert float(params["other_value"]) == pytest.approx(2 * float(params["value"]))
    assert explain(found, "en").title == "`double` gives another result the second time"
    assert explain(found, "it").title == "La seconda volta `double` dà un altro risultato"
    assert f"{params['value']} the first time and {params['other_value']} the second" in explain(found, "en").message
    assert "100 elementi su 100" in explain(found, "it").message


def test_a_random_number_of_the_hosts(judged) -> None:
    source = SOLUTION.replace("    return out", "    return out if random.random() < 2 else None")
    assert judged(source) == ([], [True, True])
    source = SOLUTION.replace("2 * x, mask", "2 * x + noise, mask").replace("n, BLOCK: tl", "n, noise, BLOCK: tl")
    source = source.replace("x.numel(), BLOCK", "x.numel(), 1 + random.random(), BLOCK")
    findings, passed = judged(source)
    assert "nondeterministic" in {finding.id for finding in findings}
    assert not any(passed)


@pytest.mark.parametrize(
    "source",
    [
        SOLUTION,
        SOLUTION.replace("out = torch.empty_like(x)", KEPT),
        ADDS.replace("torch.empty_like", "torch.zeros_like"),
        ADDS.replace("out = torch.empty_like(x)", KEPT + "\n    out.zero_()"),
    ],
    ids=["plain", "same buffer", "adds to zeros", "same buffer zeroed"],
)
def test_a_right_kernel_gets_nothing(judged, source) -> None:
    assert judged(source) == ([], [True, True])
