"""Wrong values that nothing else explains: the line that would, computed otherwise, have made them right."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest

from tests.runner.test_rejected import VERSION
from tritontui.diagnosis import Finding, entry, explain
from tritontui.engine.messages import CaseDone, Found, Judge, Reply
from tritontui.runner.explaining import repair
from tritontui.runner.judge import judge
from tritontui.runner.session import Session

EXERCISES = Path(__file__).parent / "mutants" / "exercises"
_runs = count(1)


@pytest.fixture(scope="module")
def session() -> Session:
    return Session(device="cpu", target="sm_90")


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow the machine, every change is tried."""
    monkeypatch.setattr(repair, "SECONDS", 60.0)
    monkeypatch.setattr(repair, "ONE_TRY", 10.0)


def judged(session: Session, folder: Path, source: str) -> list[Finding]:
    replies: list[Reply] = []
    request = Judge(
        run=next(_runs), exercise=str(folder), source=source, filename="mine.py", stages=["trace", "legality", "cases"]
    )
    judge(request, replies.append, session)
    session.forget_learner_files()
    assert any(isinstance(reply, CaseDone) for reply in replies)
    return [finding for reply in replies if isinstance(reply, Found) for finding in reply.findings]


ADDED_BIAS = """bias = tl.load(bias_ptr + rn, mask=rn < N, other=0.0)
    acc = acc + bias[None, :]
"""
# exercise, what stands in its solution, what stands there instead, the id, and what the message quotes
SLIPS = [
    ("polynomial", "y = y * x - 2.0", "y = y * x + 2.0", "wrong-operator", "y * x + 2.0"),
    ("polynomial", "y = y * x - 2.0", "y = 2.0 - y * x", "wrong-operand", "2.0 - y * x"),
    ("polynomial", "y = y * x + 0.5", "y = y * y + 0.5", "wrong-operand", "y * y"),
    ("polynomial", "y = y * x + 0.5", "y = y * x + 1.5", "wrong-constant", "y * x + 1.5"),
    ("polynomial", "mask=mask).to(tl.float32)", "mask=mask).to(tl.int32)", "wrong-type", "tl.int32"),
    ("polynomial", "offs, y.to", "offs, -y.to", "surplus-term", "-y.to(out_ptr.dtype.element_ty)"),
    ("add_bias", "y = x + bias[None, :]", "y = x", "missing-term", "x"),
    ("add_bias", "r[:, None] * x_stride", "r[:, None]", "missing-term", "x_stride"),
    ("add_bias", "tl.load(bias_ptr + c", "tl.load(x_ptr + c", "wrong-operand", "x_ptr"),
    ("add_bias", "x.stride(0), ROWS", "x.stride(0) - 1, ROWS", "surplus-term", "x.stride(0) - 1"),
    ("fill_pid", "offs, value, mask", "offs, offs < n, mask", "wrong-operand", "offs < n"),
    ("shift", "(source >= 0)", "(source > 0)", "wrong-operator", "source > 0"),
    ("softmax", "tl.exp(x - peak)", "tl.exp2(x - peak)", "wrong-function", "tl.exp2"),
    ("softmax", "y = numerator / denominator", "y = numerator", "missing-term", "denominator"),
    ("row_sum", "other=0.0", "other=1.0", "wrong-constant", "other=1.0"),
    ("row_sum", "range(0, columns, BLOCK)", "range(0, columns - BLOCK, BLOCK)", "loop-bound", "columns - BLOCK"),
    ("matmul", "acc = tl.dot(a, b, acc, input", "acc = tl.dot(a, b, input", "accumulator-overwritten", "acc"),
    ("matmul", "range(tl.cdiv(K, BK))", "range(K // BK)", "loop-bound", "K // BK"),
    ("matmul", "rk[None, :] * stride_ak", "rk[:, None] * stride_ak", "wrong-axis", "rk[:, None]"),
    ("matmul", "(rk[None, :] < left)", "(rk[None, :] < left - 1)", "surplus-term", "left - 1"),
    ("matmul", "        b_ptrs += BK * stride_bk\n", "", "same-each-round", "b_ptrs"),
    (
        "polynomial",
        "y = y * x - 2.0\n    y = y * x + 0.5",
        "y = y * x + 0.5\n    y = y * x - 2.0",
        "step-too-early",
        "y = y * x",
    ),
    (
        "matmul_bias",
        ADDED_BIAS,
        ADDED_BIAS.replace("    ", 8 * " ").replace("bias =", "    bias =", 1),
        "same-work-each-round",
        "acc + bias",
    ),
    (
        "matmul_bias",
        ADDED_BIAS,
        ADDED_BIAS.replace("rn", "rm").replace("N", "M", 1).replace("None, :", ":, None"),
        "wrong-axis",
        "rm",
    ),
    ("softmax", "numerator / denominator", "numerator / numerator", "missing-term", "numerator / numerator"),
    ("histogram", "atomic_add", "atomic_max", "wrong-function", "tl.atomic_max"),
    ("histogram", "value, 1, mask=mask)", "value, 1)", "missing-mask", "tl.atomic_add(out_ptr + value, 1)"),
    ("histogram", "triton.cdiv(n, 64)", "n // 64", "never-read", ""),
]


@pytest.mark.parametrize(("exercise", "right", "wrong", "identifier", "quoted"), SLIPS)
def test_the_line_is_named(
    session: Session, exercise: str, right: str, wrong: str, identifier: str, quoted: str
) -> None:
    if identifier == "wrong-axis" and VERSION < (3, 6):
        pytest.skip("this Triton refuses the kernel")
    solution = (EXERCISES / exercise / "solution.py").read_text("utf-8")
    assert right in solution
    source = solution.replace(right, wrong, 1)
    findings = judged(session, EXERCISES / exercise, source)
    (found,) = (finding for finding in findings if finding.severity == "error" and finding.id != "value-mismatch")
    assert found.id == identifier, found
    marks = {  # the first two show where the input is read
        "never-read": "tl.load",
        "same-each-round": "b = tl.load",
        "same-work-each-round": "acc = acc + bias",
    }
    mark = marks.get(identifier) or wrong.splitlines()[0]
    line = next(number for number, text in enumerate(source.splitlines(), 1) if mark in text)
    assert found.line == line
    assert set(found.params) == set(entry(identifier).params)
    for language in ("en", "it"):
        said = explain(found, language)  # type: ignore[arg-type]
        assert quoted in f"{said.title} {said.message}"
        assert right not in f"{said.title} {said.message} {said.fix}"


SPECIFICATION = """
import torch
from tritontui.runner.spec import Case, Exercise

EXERCISE = Exercise(
    entry="f", inputs=lambda case, generator: [torch.randn(case["n"], generator=generator)],
    reference=lambda x: REFERENCE, cases=[Case("n = 100", {"n": 100}), Case("n = 65", {"n": 65})],
    trace_case=Case("n = 70", {"n": 70}),
)
"""
KERNEL = """import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    y = x + 1.0
    z = y + 1.0
    tl.store(out_ptr + offs, z, mask=mask)


def f(x):
    print("called")
    out = torch.empty_like(x)
    kernel[(triton.cdiv(x.numel(), 64),)](x, out, x.numel(), BLOCK=64)
    return out
"""


ADD = """import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    y = tl.load(y_ptr + offs, mask=mask)
    tl.store(out_ptr + offs, x + y, mask=mask)


def f(x, y):
    out = torch.empty_like(x)
    kernel[(triton.cdiv(x.numel(), 64),)](x, y, out, x.numel(), BLOCK=64)
    return out
"""


@pytest.mark.parametrize(
    "reference",
    [
        "x + 3",  # either of two lines could be the wrong one
        "x.sin()",  # nothing small helps
    ],
)
def test_nothing_is_said_where_no_line_stands_out(session: Session, tmp_path: Path, reference: str) -> None:
    (tmp_path / "exercise.py").write_text(SPECIFICATION.replace("REFERENCE", reference))
    found = judged(session, tmp_path, KERNEL)
    assert [finding.id for finding in found if finding.severity == "error"] == ["value-mismatch"]


@pytest.mark.parametrize("name", ["x", "y"])
def test_of_two_loads_of_one_tensor_the_names_tell_which_is_wrong(session: Session, tmp_path: Path, name: str) -> None:
    """In ``x + y`` either load could be the one to change."""
    (tmp_path / "exercise.py").write_text(
        SPECIFICATION.replace("lambda x: REFERENCE", "lambda x, y: x + y").replace(
            '[torch.randn(case["n"], generator=generator)]',
            '[torch.randn(case["n"], generator=generator) for _ in range(2)]',
        )
    )
    other = "y" if name == "x" else "x"
    source = ADD.replace(f"{name} = tl.load({name}_ptr", f"{name} = tl.load({other}_ptr")
    (found,) = (one for one in judged(session, tmp_path, source) if one.id == "wrong-operand")
    assert source.splitlines()[(found.line or 0) - 1].strip().startswith(f"{name} = tl.load({other}_ptr")


def test_what_helps_in_one_case_alone_is_not_said(session: Session, tmp_path: Path) -> None:
    """With 70 elements the answer is ``x``: less would help there, and nowhere else."""
    reference = "x + 1 if x.numel() == 70 else x + x.numel()"
    (tmp_path / "exercise.py").write_text(SPECIFICATION.replace("REFERENCE", reference))
    found = judged(session, tmp_path, KERNEL)
    assert [finding.id for finding in found if finding.severity == "error"] == ["value-mismatch"]


def test_there_is_an_end_to_it(session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repair, "SECONDS", 0.0)
    (tmp_path / "exercise.py").write_text(SPECIFICATION.replace("REFERENCE", "x"))
    found = judged(session, tmp_path, KERNEL)
    assert [finding.id for finding in found if finding.severity == "error"] == ["value-mismatch"]


def test_tries_print_nothing(session: Session, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "exercise.py").write_text(SPECIFICATION.replace("REFERENCE", "x - 1"))
    judged(session, tmp_path, KERNEL)
    assert capsys.readouterr().out.count("called") < 5
