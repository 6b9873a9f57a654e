"""Mistakes that only the compiler catches: each gets its diagnosis, on the line that ends in ``# here``."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
import torch

from tritontui.diagnosis import recognise
from tritontui.runner.compile import Compiler, Launch
from tritontui.runner.submission import Submissions, execute, failure_of
from tritontui.runner.target import compiling_for

HEAD = """\
import torch
import triton
import triton.language as tl

"""


@dataclass(frozen=True)
class Mistake:
    """``kernel`` is the body of the text; arguments are x_ptr, out_ptr (float32), n = 1000, BLOCK = 1024, SIZE = 32."""

    diagnosis: str
    text: str
    changes: dict[str, Any] = field(default_factory=dict)


MISTAKES = {
    "a block that is no power of two": Mistake(
        "not-power-of-two",
        """
@triton.jit
def kernel(x_ptr, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)  # here
    tl.store(x_ptr + offs, 1.0)
""",
        {"BLOCK": 1000},
    ),
    "a runtime value in arange": Mistake(
        "not-constexpr",
        """
@triton.jit
def kernel(x_ptr, n):
    offs = tl.arange(0, n)  # here
    tl.store(x_ptr + offs, 1.0)
""",
    ),
    "a runtime value in zeros": Mistake(
        "not-constexpr",
        """
@triton.jit
def kernel(x_ptr, n):
    acc = tl.zeros((n,), tl.float32)  # here
    tl.store(x_ptr + tl.arange(0, 32), acc)
""",
    ),
    "a block over the limit": Mistake(
        "block-too-large",
        """
@triton.jit
def kernel(x_ptr):
    offs = tl.arange(0, 2048)[:, None] * 2048 + tl.arange(0, 2048)[None, :]  # here
    tl.store(x_ptr + offs, 1.0)
""",
    ),
    "indexing a pointer": Mistake(
        "pointer-indexing",
        """
@triton.jit
def kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    x = x_ptr[offs]  # here
    tl.store(out_ptr + offs, x)
""",
    ),
    "indexing a block": Mistake(
        "block-indexing",
        """
@triton.jit
def kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, BLOCK))
    tl.store(out_ptr, x[0])  # here
""",
    ),
    "assigning to an element": Mistake(
        "block-indexing",
        """
@triton.jit
def kernel(x_ptr, BLOCK: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, BLOCK))
    x[0] = 1.0  # here
    tl.store(x_ptr + tl.arange(0, BLOCK), x)
""",
    ),
    "if on a block": Mistake(
        "block-truth-value",
        """
@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    if offs < n:  # here
        tl.store(x_ptr + offs, 1.0)
""",
    ),
    "shapes that don't broadcast": Mistake(
        "shape-mismatch",
        """
@triton.jit
def kernel(x_ptr, BLOCK: tl.constexpr, SIZE: tl.constexpr):
    offs = tl.arange(0, BLOCK) + tl.arange(0, SIZE)  # here
    tl.store(x_ptr + offs, 1.0)
""",
    ),
    "a block of masks for one pointer": Mistake(
        "shape-mismatch",
        """
@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    tl.store(x_ptr, 1.0, mask=offs < n)  # here
""",
    ),
    "a float offset": Mistake(
        "pointer-arithmetic-type",
        """
@triton.jit
def kernel(x_ptr, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK) / 2
    tl.store(x_ptr + offs, 1.0)  # here
""",
    ),
    "other without mask": Mistake(
        "other-without-mask",
        """
@triton.jit
def kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, other=0.0)  # here
    tl.store(out_ptr + offs, x)
""",
    ),
    "an accumulator that changes its type": Mistake(
        "loop-carried-type",
        """
@triton.jit
def kernel(x_ptr, out_ptr, n):
    acc = 0
    for i in range(n):
        acc += tl.load(x_ptr + i)  # here
    tl.store(out_ptr, acc)
""",
    ),
    "types that differ between branches": Mistake(
        "branch-type",
        """
@triton.jit
def kernel(x_ptr, n):
    if n > 3:  # here
        v = 1.0
    else:
        v = n
    tl.store(x_ptr, v)
""",
    ),
    "a variable of one branch": Mistake(
        "branch-only-variable",
        """
@triton.jit
def kernel(x_ptr, n):
    if n > 3:
        v = 1.0
    tl.store(x_ptr, v)  # here
""",
    ),
    "break": Mistake(
        "unsupported-statement",
        """
@triton.jit
def kernel(x_ptr, n):
    for i in range(n):
        if i > 3:
            break  # here
        tl.store(x_ptr + i, 1.0)
""",
    ),
    "try": Mistake(
        "unsupported-statement",
        """
@triton.jit
def kernel(x_ptr):
    try:  # here
        tl.store(x_ptr, 1.0)
    except ValueError:
        pass
""",
    ),
    "return in a loop": Mistake(
        "unsupported-statement",
        """
@triton.jit
def kernel(x_ptr, n):
    for i in range(n):
        if i > 3:
            return  # here
        tl.store(x_ptr + i, 1.0)
""",
    ),
    "a global that is no constexpr": Mistake(
        "global-not-constexpr",
        """
SCALE = 3.0


@triton.jit
def kernel(x_ptr):
    tl.store(x_ptr, SCALE)  # here
""",
    ),
    "a plain Python helper": Mistake(
        "unsupported-function",
        """
def helper(v):
    return v + 1


@triton.jit
def kernel(x_ptr):
    tl.store(x_ptr, helper(tl.load(x_ptr)))  # here
""",
    ),
    "an f-string in a print": Mistake(
        "unsupported-statement",
        """
@triton.jit
def kernel(x_ptr, n):
    tl.device_print(f"n is {n}")  # here
""",
    ),
    "dot of small blocks": Mistake(
        "dot-shape",
        """
@triton.jit
def kernel(x_ptr):
    offs = tl.arange(0, 4)[:, None] * 4 + tl.arange(0, 4)[None, :]
    a = tl.load(x_ptr + offs)
    tl.store(x_ptr + offs, tl.dot(a, a))  # here
""",
    ),
    "dot of two dtypes": Mistake(
        "dot-dtype",
        """
@triton.jit
def kernel(x_ptr, SIZE: tl.constexpr):
    offs = tl.arange(0, SIZE)[:, None] * SIZE + tl.arange(0, SIZE)[None, :]
    a = tl.load(x_ptr + offs)
    tl.store(x_ptr + offs, tl.dot(a, a.to(tl.float16)))  # here
""",
    ),
    "dot whose inner sizes differ": Mistake(
        "dot-shape",
        """
@triton.jit
def kernel(x_ptr, SIZE: tl.constexpr):
    offs = tl.arange(0, SIZE)[:, None] * 64 + tl.arange(0, 64)[None, :]
    a = tl.load(x_ptr + offs)
    tl.store(x_ptr + offs, tl.dot(a, a))  # here
""",
    ),
    "exp of integers": Mistake(
        "dtype-unsupported",
        """
@triton.jit
def kernel(x_ptr, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    tl.store(x_ptr + offs, tl.exp(offs))  # here
""",
    ),
    "block pointers of old tutorials": Mistake(
        "removed-api",
        """
@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    block = tl.make_block_ptr(x_ptr, (n,), (1,), (0,), (BLOCK,), (0,))  # here
    tl.store(block, tl.load(block) + 1)
""",
    ),
    "a name nobody defined": Mistake(
        "name-error",
        """
@triton.jit
def kernel(x_ptr, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    tl.store(x_ptr + ofs, 1.0)  # here
""",
    ),
    "a misspelt keyword": Mistake(
        "unknown-keyword",
        """
@triton.jit
def kernel(x_ptr, BLOCK: tl.constexpr):
    tl.store(x_ptr + tl.arange(0, BLOCK), 1.0)
""",
        {"BLOK": 3},
    ),
}


def arguments_for(kernel, changes):
    every = {
        "x_ptr": torch.empty(4096),
        "out_ptr": torch.empty(4096),
        "n": 1000,
        "BLOCK": 1024,
        "SIZE": 32,
    }
    given = {name: value for name, value in every.items() if name in kernel.arg_names}
    return {**given, **changes}


@pytest.fixture
def submissions():
    made = Submissions()
    yield made
    made.close()


@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES.keys())
def test_diagnosis_and_line(submissions, mistake):
    text = HEAD + mistake.text
    submission = submissions.place(text, "mine.py")
    execute(submission)
    kernel = submission.module.kernel
    with compiling_for("sm_90"):
        rejection = Compiler().check(Launch(kernel, arguments_for(kernel, mistake.changes), {}))
    assert rejection is not None, "the compiler accepts it"
    failure = failure_of(rejection.error, submission, "compile")
    failure.log = rejection.log
    finding = recognise(failure)
    here = [number for number, line in enumerate(text.splitlines(), 1) if line.endswith("# here")]
    assert (finding.id, [finding.line] if here else []) == (mistake.diagnosis, here)
