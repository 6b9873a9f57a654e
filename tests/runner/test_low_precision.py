"""Sums kept in 16 bits: the line that decides it, where the same sum in float32 is right, and only there."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest

from tritontui.diagnosis import Finding, entry, explain
from tritontui.engine.messages import Found, Judge, Reply
from tritontui.runner.explaining import repair
from tritontui.runner.judge import judge
from tritontui.runner.session import Session

_runs = count(1)

ROWS = """
import torch
from tritontui.runner.spec import Case, Exercise, Tolerance

EXERCISE = Exercise(
    entry="f",
    inputs=lambda case, generator: [torch.rand(4, case["n"], generator=generator).to(torch.DTYPE)],
    reference=lambda x: x.to(torch.float64).sum(1).to(torch.float32),
    cases=[Case(f"{n} columns", {"n": n}) for n in (32, 2000, 4096)], trace_case=Case("64 columns", {"n": 64}),
    tolerances={torch.float32: Tolerance(1e-5, 1e-5, "the data is exact")},
)
"""
KERNEL = """import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, n, BLOCK):
        offs = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * n + offs, mask=offs < n, other=0.0)
        acc += x
    total = tl.sum(acc, axis=0)
    tl.store(out_ptr + row, total)


def f(x):
    out = torch.empty(x.shape[0], device=x.device)
    kernel[(x.shape[0],)](x, out, x.shape[1], BLOCK=32)
    return out
"""
ZEROS = "acc = tl.zeros((BLOCK,), dtype=tl.float32)"
LOOP = KERNEL[KERNEL.index("    acc = ") : KERNEL.index("    total")]
ROW = """    offs = tl.arange(0, 4096)
    x = tl.load(x_ptr + row * n + offs, mask=offs < n, other=0.0)
    acc = x
"""
PRODUCT = """
import torch
from tritontui.runner.spec import Case, Exercise, Tolerance

EXERCISE = Exercise(
    entry="f",
    inputs=lambda case, generator: [torch.rand(16, case["k"], generator=generator).half() for _ in range(2)],
    reference=lambda a, b: (a.to(torch.float64) @ b.T.to(torch.float64)).to(torch.float32),
    cases=[Case(f"K = {k}", {"k": k}) for k in (16, 2048)], trace_case=Case("K = 32", {"k": 32}),
    tolerances={torch.float32: Tolerance(1e-5, 1e-5, "exact products")},
)
"""
DOT = """import torch
import triton
import triton.language as tl


@triton.jit
def kernel(a_ptr, b_ptr, out_ptr, K):
    r = tl.arange(0, 16)
    acc = tl.zeros((16, 16), dtype=tl.float32)
    for start in range(0, K, 16):
        tile = r[:, None] * K + start + r[None, :]
        acc = tl.dot(tl.load(a_ptr + tile), tl.trans(tl.load(b_ptr + tile)), acc)
    tl.store(out_ptr + r[:, None] * 16 + r[None, :], acc)


def f(a, b):
    out = torch.empty(16, 16, device=a.device)
    kernel[(1,)](a, b, out, a.shape[1])
    return out
"""


@pytest.fixture(scope="module")
def session() -> Session:
    return Session(device="cpu", target="sm_90")


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repair, "SUM_SECONDS", 60.0)


def errors(session: Session, folder: Path, specification: str, source: str) -> list[Finding]:
    (folder / "exercise.py").write_text(specification)
    replies: list[Reply] = []
    judge(
        Judge(
            run=next(_runs),
            exercise=str(folder),
            source=source,
            filename="mine.py",
            stages=["trace", "legality", "cases"],
        ),
        replies.append,
        session,
    )
    session.forget_learner_files()
    found = [finding for reply in replies if isinstance(reply, Found) for finding in reply.findings]
    return [one for one in found if one.severity != "note" and one.id != "value-mismatch"]


# the sums' dtype, what stands in KERNEL and what instead, the name that adds up, what stands on the line to blame
SUMS = [
    ("float16", "dtype=tl.float32)", "dtype=tl.float16)", "acc", "acc = tl.zeros"),
    ("bfloat16", "dtype=tl.float32)", "dtype=x_ptr.dtype.element_ty)", "acc", "acc = tl.zeros"),
    ("bfloat16", ZEROS, "acc = tl.load(x_ptr + tl.arange(0, BLOCK)) * 0", "acc", "acc = tl.load"),
    ("float16", LOOP, ROW, "total", "total = tl.sum"),
    ("float16", LOOP + "    total = tl.sum(acc, axis=0)", ROW + "    total = acc.sum(axis=0)", "total", "total = acc"),
]


@pytest.mark.parametrize(("dtype", "right", "wrong", "name", "mark"), SUMS)
def test_sums_of_a_row(
    session: Session, tmp_path: Path, dtype: str, right: str, wrong: str, name: str, mark: str
) -> None:
    assert right in KERNEL
    source = KERNEL.replace(right, wrong)
    (found,) = errors(session, tmp_path, ROWS.replace("DTYPE", dtype), source)
    assert (found.id, found.params["name"]) == ("low-precision-accumulation", name), found
    assert found.params["dtype"] == {"float16": "fp16", "bfloat16": "bf16"}[dtype]
    assert source.splitlines()[(found.line or 0) - 1].strip().startswith(mark)
    assert set(found.params) == set(entry(found.id).params)
    for language in ("en", "it"):
        said = explain(found, language)  # type: ignore[arg-type]
        assert f"`{name}`" in said.title
        assert found.params["expected"].split(".")[0] in said.message
        assert "float32" not in f"{said.title}{said.message}{said.fix}"  # that is the solution


PRODUCTS = [
    (")), acc)", ")), acc, out_dtype=tl.float16)", "dtype=tl.float32", "dtype=tl.float16", "acc = tl.zeros"),
    ("acc = tl.dot(", "acc += tl.dot(", ")), acc)", ")), out_dtype=tl.float16)", "acc += tl.dot"),
]


@pytest.mark.parametrize(("first", "wrong", "second", "also", "mark"), PRODUCTS)
def test_products(session: Session, tmp_path: Path, first: str, wrong: str, second: str, also: str, mark: str) -> None:
    """The result is float32 and off by noise; it isn't TF32 that is to blame."""
    source = DOT.replace(first, wrong).replace(second, also)
    (found,) = errors(session, tmp_path, PRODUCT, source)
    assert (found.id, found.params["name"], found.params["dtype"]) == ("low-precision-accumulation", "acc", "fp16")
    assert source.splitlines()[(found.line or 0) - 1].strip().startswith(mark)


def test_sums_in_float32_are_right(session: Session, tmp_path: Path) -> None:
    assert errors(session, tmp_path, ROWS.replace("DTYPE", "float16"), KERNEL) == []
    assert errors(session, tmp_path, PRODUCT, DOT) == []


def test_another_fault_is_not_blamed_on_the_sum(session: Session, tmp_path: Path) -> None:
    source = KERNEL.replace("dtype=tl.float32)", "dtype=tl.float16)").replace("axis=0)", "axis=0) + 1.0")
    found = errors(session, tmp_path, ROWS.replace("DTYPE", "float16"), source)
    assert "low-precision-accumulation" not in {one.id for one in found}


def test_casts_on_several_lines_are_no_one_sum(session: Session, tmp_path: Path) -> None:
    """Two casts to 16 bits, on two lines, and a fault elsewhere: the judge comes to its end."""
    added = "        acc += x"
    source = KERNEL.replace(added, f"{added}.to(tl.float16)").replace("total)", "total.to(tl.float16) + 1.0)")
    assert source.count(".to(tl.float16)") == 2
    found = errors(session, tmp_path, ROWS.replace("DTYPE", "float32"), source)
    assert "low-precision-accumulation" not in {one.id for one in found}
