"""What only running a kernel shows: a row for each mistake that learners are known to make, its id and its line.

The rows that the compiler or the launcher refuses stand in ``test_rejected``. The line to blame ends in ``#! id``.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.runner.test_rejected import place
from tritontui.diagnosis import entry, explain, rank
from tritontui.diagnosis.finding import Finding
from tritontui.engine.messages import Found, Reply, ScriptDone, TraceScript
from tritontui.runner.session import Session
from tritontui.runner.tracing.trace import trace_script

HEAD = "import torch\nimport triton\nimport triton.language as tl\n\n\n@triton.jit\n"
FLAT = """def kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    tl.store(out_ptr + offs, 2 * x, mask=mask)


x = torch.randn(100)
out = torch.empty(100)
kernel[(4,)](x, out, 100, BLOCK=32)
"""
LOAD, STORE = "tl.load(x_ptr + offs, mask=mask)", "tl.store(out_ptr + offs, 2 * x, mask=mask)"
START = "tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)"
ROWS = """def kernel(x_ptr, out_ptr, stride, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    begin = row * stride
    x = tl.load(x_ptr + begin + c, mask=c < columns, other=float("-inf"))
    tl.store(out_ptr + row, tl.max(x, axis=0))


x = -torch.rand(4, 5)
out = torch.empty(4)
kernel[(4,)](x, out, x.stride(0), 5, BLOCK=8)
"""
ROW = 'tl.load(x_ptr + begin + c, mask=c < columns, other=float("-inf"))'
PRODUCT = """def kernel(a_ptr, b_ptr, out_ptr, SIZE: tl.constexpr):
    tile = tl.arange(0, SIZE)[:, None] * SIZE + tl.arange(0, SIZE)[None, :]
    c = tl.dot(tl.load(a_ptr + tile), tl.load(b_ptr + tile), input_precision="ieee")
    tl.store(out_ptr + tile, c)


a, b = torch.randn(16, 16), torch.randn(16, 16)
out = torch.empty(16, 16)
kernel[(1,)](a, b, out, SIZE=16)
"""
SUM = """def kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n, other=0.0)
    tl.atomic_add(out_ptr, tl.sum(x, axis=0))


x = torch.ones(128)
out = torch.zeros(1)
kernel[(4,)](x, out, 128, BLOCK=32)
"""
ADD = "    tl.atomic_add(out_ptr, tl.sum(x, axis=0))"
ADDED = "    old = tl.load(out_ptr)  #! read-after-write\n    tl.store(out_ptr, old + tl.sum(x, axis=0))"
HISTOGRAM = """def kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    value = tl.load(x_ptr + tl.arange(0, BLOCK))
    tl.atomic_add(out_ptr + value, 1)


x = torch.arange(16) % 5
out = torch.zeros(8, dtype=torch.int32)
kernel[(1,)](x, out, BLOCK=16)
"""
LOST = "    old = tl.load(out_ptr + value)\n    tl.store(out_ptr + value, old + 1)  #! duplicate-indices"
COUNT = """def kernel(out_ptr):
    tl.atomic_add(out_ptr, 1.0)


out = torch.zeros(1)
kernel[(400,)](out)
"""
SPIN = """def kernel(flag_ptr, out_ptr):
    if tl.program_id(0) == 0:
        while tl.atomic_add(flag_ptr, 0) == 0:  #! no-progress
            pass
    tl.store(out_ptr + tl.program_id(0), 1.0)


kernel[(2,)](torch.zeros(1, dtype=torch.int32), torch.empty(2))
"""
TUNED = "@triton.autotune([triton.Config({'BLOCK': size}) for size in (32, 64)], key=['n'])  #! autotune-side-effect"
LAUNCH, TUNED_LAUNCH = (
    "kernel[(4,)](x, out, 128, BLOCK=32)",
    "kernel[lambda meta: (128 // meta['BLOCK'],)](x, out, 128)",
)

# what is wrong, the right script, and its changes: what stands there, what stands there instead
WRONG: list[tuple[str, str, dict[str, str]]] = [
    ("no mask on the load", FLAT, {LOAD: "tl.load(x_ptr + offs)  #! out-of-bounds-read"}),
    ("no mask on the store", FLAT, {STORE: "tl.store(out_ptr + offs, 2 * x)  #! out-of-bounds-write"}),
    ("one lane too many", FLAT, {"offs < n": "offs <= n", LOAD: f"{LOAD}  #! out-of-bounds-read"}),
    ("one lane too few", FLAT, {"offs < n": "offs < n - 1", STORE: f"{STORE}  #! never-written"}),
    ("precedence", FLAT, {"offs < n": "offs >= 0 & offs < n  #! mask-ignored"}),
    ("the id isn't used", FLAT, {START: "tl.arange(0, BLOCK)  #! program-id-unused"}),
    ("too few programs", FLAT, {"kernel[(4,)]": "kernel[(3,)]", "BLOCK=32)": "BLOCK=32)  #! never-written"}),
    ("blocks that overlap", FLAT, {"* BLOCK +": "* 16 +", STORE: f"{STORE}  #! never-written"}),
    ("no other before a maximum", ROWS, {', other=float("-inf"))': ")  #! masked-load-without-other"}),
    ("zeros before a maximum", ROWS, {'other=float("-inf"))': "other=0.0)  #! wrong-padding-value"}),
    ("a block shorter than the row", ROWS, {"BLOCK=8": "BLOCK=4", ROW: f"{ROW}  #! row-truncated"}),
    (
        "a slice read as if whole",
        ROWS,
        {"-torch.rand(4, 5)": "(-torch.rand(4, 9))[:, :5]", "x.stride(0)": "5", ROW: f"{ROW}  #! stride-ignored"},
    ),
    (
        "a transpose read as if whole",
        ROWS,
        {"torch.rand(4, 5)": "torch.rand(5, 4).t()", "x.stride(0)": "5", ROW: f"{ROW}  #! stride-ignored"},
    ),
    ("int32 overflow", ROWS, {"x.stride(0)": "2**30", "row * stride": "row * stride  #! int32-overflow"}),
    ("adding without an atomic", SUM, {ADD: ADDED}),
    ("adding where lanes share elements", HISTOGRAM, {"    tl.atomic_add(out_ptr + value, 1)": LOST}),
    (
        "a sum in bf16",
        COUNT,
        {"torch.zeros(1)": "torch.zeros(1, dtype=torch.bfloat16)", "1.0)": "1.0)  #! low-precision-accumulation"},
    ),
    ("a tuner that adds up", SUM, {"@triton.jit": f"{TUNED}\n@triton.jit", LAUNCH: TUNED_LAUNCH}),
    ("waiting for another program", SPIN, {}),
    (
        "and in a condition",
        FLAT,
        {LOAD: f"{LOAD}\n    if mask and offs > 0:  #! python-bool-on-mask\n        x = 2 * x"},
    ),
    (
        "an output read before it is written",
        FLAT,
        {"x = torch.randn(100)": "x = torch.empty(100)", LOAD: f"{LOAD}  #! uninitialised-read"},
    ),
]
NOTED = ("TF32 by default", PRODUCT, {', input_precision="ieee")': ")  #! reduced-precision-dot"})


@pytest.fixture(scope="module")
def session() -> Session:
    return Session(device="cpu", target="sm_90")


def traced(session: Session, path: Path, source: str) -> list[Finding]:
    path.write_text(source)
    replies: list[Reply] = []
    request = TraceScript(run=1, path=str(path), arguments=[], working_directory=str(path.parent))
    trace_script(request, replies.append, session)
    found = [finding for reply in replies if isinstance(reply, Found) for finding in reply.findings]
    return rank(found + [done.error for done in replies if isinstance(done, ScriptDone) and done.error is not None])


def changed(source: str, changes: dict[str, str]) -> str:
    text = HEAD + source
    for old, new in changes.items():
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


CASES = [*WRONG, NOTED]


@pytest.mark.parametrize(("name", "source", "changes"), CASES, ids=[row[0] for row in CASES])
def test_the_row_gets_its_id_on_its_line(
    session: Session, tmp_path: Path, name: str, source: str, changes: dict[str, str]
) -> None:
    text = changed(source, changes)
    line, identifier = place(text)
    said = traced(session, tmp_path / "mine.py", text)
    found = [one for one in said if one.severity != "note" or name == NOTED[0]]
    assert found, said
    assert (found[0].id, found[0].line) == (identifier, line), [(one.id, one.line) for one in found]
    assert set(found[0].params) <= set(entry(identifier).params)
    assert all(explain(found[0], language).message for language in ("en", "it"))  # type: ignore[arg-type]


@pytest.mark.parametrize("source", [FLAT, ROWS, PRODUCT, SUM, HISTOGRAM, COUNT])
def test_the_right_scripts_give_no_alarm(session: Session, tmp_path: Path, source: str) -> None:
    assert [one.id for one in traced(session, tmp_path / "mine.py", HEAD + source) if one.severity != "note"] == []


TRIANGLE = """
import torch
import triton
import triton.language as tl


@triton.jit
def fill(a_ptr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    tl.store(a_ptr + row * BLOCK + columns, 1.0, mask=columns <= row)


@triton.jit
def sums(a_ptr, out_ptr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    a = tl.load(a_ptr + row * BLOCK + columns)
    a = tl.where(columns <= row, a, 0.0)
    tl.store(out_ptr + row, tl.sum(a, axis=0))


a, out = torch.empty(4, 4), torch.empty(4)
fill[(4,)](a, BLOCK=4)
sums[(4,)](a, out, BLOCK=4)
"""


def test_elements_of_a_triangle_that_nobody_wrote_are_no_alarm(session: Session, tmp_path: Path) -> None:
    found = traced(session, tmp_path / "triangle.py", TRIANGLE)
    assert {one.severity for one in found} <= {"note"}
    assert [one.params["partly"] for one in found if one.id == "uninitialised-read"] == [True]
