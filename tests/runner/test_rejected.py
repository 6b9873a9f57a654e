"""What the compiler or the launcher refuses, judged as a whole: the id, the learner's line, and never a pass.

One row for each mistake that learners are known to make and that is seen before a GPU runs anything. The interpreter
alone lets most of them pass. Many more kernels of each kind are in ``wrong_kernels``.
"""

from __future__ import annotations

import re

import pytest
import triton

from tests.runner.judging import SPECIFICATION, Run
from tritontui.diagnosis import entry, explain
from tritontui.engine.messages import Done, Found, ScriptDone, TraceScript
from tritontui.engine.report import Report
from tritontui.runner.session import Session
from tritontui.runner.tracing.trace import trace_script

VERSION = tuple(int(part) for part in triton.__version__.split(".")[:2])

TEMPLATE = """import torch
import triton
import triton.language as tl

SCALE = 2.0


def helper(x):
    return 2 * x


@triton.jit
def double_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    y = 2 * x
BODY
    tl.store(out_ptr + offs, y, mask=mask)


def double(x):
    out = torch.empty_like(x)
    n = x.numel()
    LAUNCH
    return out
"""
LAUNCH = "double_kernel[(triton.cdiv(n, 64),)](x, out, n, BLOCK=64)"
TILE = "    t = tl.arange(0, 32)[:, None] * 0 + tl.arange(0, 32)[None, :] * 0\n    a = tl.load(x_ptr + t)\n"

KERNEL = {
    "arange not a power of two": "    z = tl.arange(0, 48)  #! not-power-of-two",
    "runtime value in arange": "    z = tl.arange(0, n)  #! not-constexpr",
    "runtime value in zeros": "    z = tl.zeros((n,), tl.float32)  #! not-constexpr",
    "tile over 2^20 elements": "    z = tl.zeros((1024, 2048), tl.float32)  #! block-too-large",
    "a pointer indexed": "    y = x_ptr[offs]  #! pointer-indexing",
    "a block indexed": "    y += x[0]  #! block-indexing",
    "a block written to": "    y[0] = 1.0  #! block-indexing",
    "if on a block": "    if offs < n:  #! block-truth-value\n        y = 2 * x",
    "shapes": "    y += tl.arange(0, 32)  #! shape-mismatch",
    "block mask on a scalar pointer": "    z = tl.load(x_ptr, mask=mask)  #! shape-mismatch",
    "block value on a scalar pointer": "    tl.store(out_ptr, y)  #! shape-mismatch",
    "float offset": "    z = tl.load(x_ptr + n / 2)  #! pointer-arithmetic-type",
    "other without mask": "    z = tl.load(x_ptr, other=0.0)  #! other-without-mask",
    "loop-carried type": "    acc = 0\n"
    "    for i in range(2):\n        acc += tl.load(x_ptr)  #! loop-carried-type\n    y += acc * 0",
    "fp16 accumulator": "    acc = tl.zeros((BLOCK,), tl.float16)\n"
    "    for i in range(2):\n        acc += x  #! loop-carried-type\n    y += acc * 0",
    "another type in one branch": "    v = 1\n    if n > 2:  #! branch-type\n        v = 2.0\n    y += v * 0",
    "a variable of one branch": "    if n > 2:\n        v = 2.0\n    y += v * 0  #! branch-only-variable",
    "break": "    for i in range(n):\n        break  #! unsupported-statement",
    "try": "    try:  #! unsupported-statement\n        y = 2 * x\n    except ValueError:\n        y = x",
    "lambda": "    f = lambda v: v  #! unsupported-statement",
    "import": "    import math  #! unsupported-statement",
    "return in a loop": "    for i in range(n):\n        return  #! unsupported-statement",
    "global not constexpr": "    y = SCALE * x  #! global-not-constexpr",
    "plain Python helper": "    y = helper(x)  #! unsupported-function",
    "f-string": '    print(f"n is {n}")  #! unsupported-statement',
    "dot too small": "    z = tl.dot(tl.zeros((16, 8), tl.float16), tl.zeros((8, 16), tl.float16))  #! dot-shape",
    "dot dtypes": TILE + "    z = tl.dot(a, a.to(tl.float16))  #! dot-dtype",
    "dot inner sizes": TILE + "    z = tl.dot(a, tl.zeros((16, 32), tl.float32))  #! dot-shape",
    "exp of an int": "    z = tl.exp(offs)  #! dtype-unsupported",
    "a function that isn't there": "    z = tl.arrange(0, 64)  #! name-error",
    "a misspelt name": "    y = 2 * xx  #! name-error",
    "old block pointers": "    p = tl.make_block_ptr(x_ptr, (n,), (1,), (0,), (64,), (0,))  #! removed-api",
    "a pointer moved on": "    p = tl.advance(x_ptr, (1,))  #! removed-api",
    "a fourth axis": "    y += tl.program_id(3)  #! grid-axis-missing",
    "too much shared memory": "    t = tl.arange(0, 256)[:, None] * 0 + tl.arange(0, 256)[None, :] * 0\n"
    "    a = tl.load(x_ptr + t)\n    y += tl.sum(tl.sum(tl.dot(a, a), axis=0), axis=0) * 0",
    "a value returned": "    return y  #! unsupported-statement",
}

HOST = {
    "grid an int": "double_kernel[triton.cdiv(n, 64)](x, out, n, BLOCK=64)  #! grid-not-a-tuple",
    "grid a list": "double_kernel[[triton.cdiv(n, 64)]](x, out, n, BLOCK=64)",
    "no grid": "double_kernel(x, out, n, BLOCK=64)  #! launch-without-grid",
    "misspelt keyword": "double_kernel[(1,)](x, out, n, BLOK=64, BLOCK=64)  #! unknown-keyword",
    "no constant": "double_kernel[(1,)](x, out, n)  #! kernel-arguments",
    "a block that is no power of two": "double_kernel[(1,)](x, out, n, BLOCK=100)  # on the kernel's own line",
    "a list for a tensor": "double_kernel[(1,)]([1.0], out, n, BLOCK=64)  #! kernel-arguments",
    "a tensor of the CPU": "double_kernel[(1,)](x.cpu(), out, n, BLOCK=64)  #! tensor-on-wrong-device",
    "three warps": "double_kernel[(1,)](x, out, n, BLOCK=64, num_warps=3)  #! launch-option",
    "65,536 programs on axis 1": "double_kernel[(1, 65536)](x, out, n, BLOCK=64)  #! grid-axis-too-long",
    "a grid of four axes": "double_kernel[(1, 1, 1, 1)](x, out, n, BLOCK=64)  #! grid-axis-missing",
    "a value too many": "double_kernel[(1,)](x, out, n, 64, 3)  #! kernel-arguments",
    "kernel from text": "exec('import triton\\n@triton.jit\\ndef k(x):\\n    pass', {})  #! kernel-without-source",
}

LAUNCH_LINE = {"too much shared memory": "shared-memory-exceeded"}
"""The compiler knows no better line than the launch's."""
SINCE = {"old block pointers": (3, 9), "a pointer moved on": (3, 9), "dot too small": (3, 6)}


@pytest.fixture(scope="module")
def session():
    return Session(device="cpu", target="sm_86")


@pytest.fixture
def report_of(session, tmp_path):
    (tmp_path / "exercise.py").write_text(SPECIFICATION)

    def judged(source):
        report = Report("double")
        for reply in Run(session, tmp_path, source).replies:
            report.add(reply)
        assert isinstance(reply, Done)
        return report

    return judged


def place(source):
    marks = [(n, m[1]) for n, text in enumerate(source.splitlines(), 1) if (m := re.search(r"#! ([\w-]+)$", text))]
    assert len(marks) == 1
    return marks[0]


def check(report, identifier, line):
    assert report.verdict == "fail"
    found = next((finding for finding in report.findings if finding.id == identifier), None)
    assert found is not None, report.findings
    assert (found.severity, found.line) == ("error", line)
    assert set(found.params) <= set(entry(identifier).params)
    assert all(explain(found, language).message for language in ("en", "it"))


@pytest.mark.parametrize("name", KERNEL)
def test_in_the_kernel(report_of, name):
    if SINCE.get(name, (3, 4)) > VERSION:
        pytest.skip("this Triton accepts it")
    source = TEMPLATE.replace("BODY", KERNEL[name]).replace("LAUNCH", LAUNCH)
    if name in LAUNCH_LINE:
        line = next(n for n, text in enumerate(source.splitlines(), 1) if LAUNCH in text)
        report = report_of(source)
        found = next(finding for finding in report.findings if finding.id == LAUNCH_LINE[name])
        assert (found.line, report.verdict) == (line, "fail")
        return
    line, identifier = place(source)
    check(report_of(source), identifier, line)


@pytest.mark.parametrize("name", HOST)
def test_in_the_host_code(report_of, name):
    source = TEMPLATE.replace("BODY\n", "").replace("LAUNCH", HOST[name])
    if name == "grid a list":  # Triton's launcher takes it
        assert report_of(source).verdict == "pass"
    elif name == "a block that is no power of two":
        line = next(n for n, text in enumerate(source.splitlines(), 1) if "tl.arange" in text)
        check(report_of(source), "not-power-of-two", line)
    else:
        line, identifier = place(source)
        check(report_of(source), identifier, line)


def test_a_constant_both_tuned_and_passed(report_of):
    """``Conflicting meta-parameters``."""
    tuner = "@triton.autotune([triton.Config({'BLOCK': b}) for b in (64, 128)], key=['n'])\n@triton.jit"
    source = TEMPLATE.replace("BODY\n", "").replace("@triton.jit", tuner)
    source = source.replace("LAUNCH", LAUNCH + "  #! autotune-invalid-config")
    line, identifier = place(source)
    check(report_of(source), identifier, line)


SCRIPT = """
x = torch.ones(100)
double(x)
"""


NOT_IN_A_SCRIPT = {"a tensor of the CPU"}
"""A trace runs everything on the CPU."""


def traced(session, path, source):
    """All that is said of a script, its end included."""
    path.write_text(source + SCRIPT)
    replies = []
    trace_script(
        TraceScript(run=1, path=str(path), arguments=[], working_directory=str(path.parent)), replies.append, session
    )
    found = [finding for reply in replies if isinstance(reply, Found) for finding in reply.findings]
    return found + [reply.error for reply in replies if isinstance(reply, ScriptDone) and reply.error is not None]


@pytest.mark.parametrize("name", [*KERNEL, *HOST])
def test_in_ones_own_script(session, tmp_path, name):
    if SINCE.get(name, (3, 4)) > VERSION or name in NOT_IN_A_SCRIPT:
        pytest.skip("accepted")
    if name in KERNEL:
        source = TEMPLATE.replace("BODY", KERNEL[name]).replace("LAUNCH", LAUNCH)
    else:
        source = TEMPLATE.replace("BODY\n", "").replace("LAUNCH", HOST[name])
    if "#!" not in source:
        return
    line, identifier = place(source)
    found = traced(session, tmp_path / "mine.py", source)
    assert (identifier, line) in [(finding.id, finding.line) for finding in found], found


def test_the_template_is_right(report_of):
    report = report_of(TEMPLATE.replace("BODY\n", "").replace("LAUNCH", LAUNCH))
    assert (report.verdict, report.findings) == ("pass", [])
