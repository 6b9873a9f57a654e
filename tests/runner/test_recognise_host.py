"""Real host code that fails before or in a launch, run under the tracer: each fault gets its id on its line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tritontui.diagnosis import Finding, entry, explain, recognise
from tritontui.runner.lockstep import tracing
from tritontui.runner.submission import Submissions, execute, failure_of

PRELUDE = """\
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    tl.store(out_ptr + offs, tl.load(x_ptr + offs, mask=mask), mask=mask)


def plain(x_ptr, out_ptr, n):
    return n


x = torch.ones(100)
out = torch.empty_like(x)
"""

LAUNCHES = {
    "right": "kernel[(4,)](x, out, 100, BLOCK=32)",
    "int": "kernel[4](x, out, 100, BLOCK=32)  #! grid-not-a-tuple",
    "int of a lambda": "grid = lambda meta: triton.cdiv(100, meta['BLOCK'])\n"
    "kernel[grid](x, out, 100, BLOCK=32)  #! grid-not-a-tuple",
    "float": "kernel[100 / 32](x, out, 100, BLOCK=32)  #! grid-not-a-tuple",
    "nothing": "kernel[None](x, out, 100, BLOCK=32)  #! grid-not-a-tuple",
    "a float in the tuple": "kernel[(100 / 32,)](x, out, 100, BLOCK=32)  #! grid-not-a-tuple",
    "no axes": "kernel[()](x, out, 100, BLOCK=32)  #! grid-axis-missing",
    "long axis": "kernel[(1, 65536)](x, out, 100, BLOCK=32)  #! grid-axis-too-long",
    "no grid": "kernel(x, out, 100, BLOCK=32)  #! launch-without-grid",
    "no grid, in a call": "print(str(kernel(x, out, 100, BLOCK=32)))  #! launch-without-grid",
    "no jit": "plain[(4,)](x, out, 100)  #! jit-missing",
    "tl on the host": "kernel[(tl.cdiv(100, 32),)](x, out, 100, BLOCK=32)  #! kernel-function-on-host",
    "builtin on the host": "offs = tl.arange(0, 32)  #! kernel-function-on-host",
    "misspelt keyword": "kernel[(4,)](\n    x,\n    out,\n    100,\n    BLOK=32,  #! unknown-keyword\n    BLOCK=32,\n)",
    "missing argument": "kernel[(4,)](x, out, BLOCK=32)  #! kernel-arguments",
    "too many arguments": "kernel[(4,)](x, out, 100, 32, 7)  #! kernel-arguments",
    "argument twice": "kernel[(4,)](x, out, 100, 32, BLOCK=32)  #! kernel-arguments",
    "list argument": "kernel[(4,)]([1, 2], out, 100, BLOCK=32)  #! kernel-arguments",
    "old keyword": "triton.testing.do_bench(lambda: x + 1, percentiles=(0.5,))  #! benchmark-misuse",
    "name": "kernel[(4,)](x, oyt, 100, BLOCK=32)  #! name-error",
    "attribute": "kernel[(triton.cdvi(100, 32),)](x, out, 100, BLOCK=32)  #! name-error",
    "module": "import torhc  #! module-missing",
    "old module": "import triton.ops  #! removed-api",
    "kernel from text": 'exec("import triton\\n@triton.jit\\ndef k(x):\\n    pass")  #! kernel-without-source',
    "value": "raise ValueError('x and y differ')  #! host-exception",
    "deep": "def f(n):\n    return f(n + 1)  #! host-exception\nf(0)",
    "a length that is no grid": "len(3)  #! host-exception",
}


def finding_of(source: str) -> Finding | None:
    submissions = Submissions()
    submission = submissions.place(source, "mine.py")
    try:
        with tracing(file=str(submission.path)):
            execute(submission)
    except (Exception, SystemExit) as error:
        return recognise(failure_of(error, submission, "host"))
    finally:
        submissions.close()
    return None


@pytest.mark.parametrize("name", LAUNCHES)
def test_recognised(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    source = f"{PRELUDE}{LAUNCHES[name]}\n"
    marks = [
        (number, mark[1])
        for number, line in enumerate(source.splitlines(), 1)
        if (mark := re.search(r"#! ([\w-]+)$", line))
    ]
    finding = finding_of(source)
    if not marks:
        assert finding is None
        return
    assert finding is not None
    assert (finding.line, finding.id) == marks[0], finding
    assert set(finding.params) <= set(entry(finding.id).params)
    for language in ("en", "it"):
        assert all(explain(finding, language)[:3])
