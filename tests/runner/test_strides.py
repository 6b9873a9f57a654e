"""Strides that have changed places, or of which one is forgotten: the line that says so is named, not the mask."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest

from tritontui.diagnosis import Finding, explain, rank
from tritontui.engine.messages import Found, Judge, Reply
from tritontui.runner.explaining import repair
from tritontui.runner.judge import judge
from tritontui.runner.session import Session

LESSON = Path(__file__).parents[2] / "lessons" / "07-two-dimensions" / "exercises"
FOLDERS = {"copy_2d": LESSON, "transpose": LESSON, "matmul": Path(__file__).parent / "mutants" / "exercises"}
_runs = count(1)

X_OFFSETS = "x_offs = r[:, None] * x_stride_row + c[None, :] * x_stride_col"
OUT_OFFSETS = "out_offs = r[:, None] * out_stride_row + c[None, :] * out_stride_col"
A_PTRS = "a_ptrs = a_ptr + rm[:, None] * stride_am + rk[None, :] * stride_ak"
B_PTRS = "b_ptrs = b_ptr + rk[:, None] * stride_bk + rn[None, :] * stride_bn"

A_THEN_B = """a.stride(0),
        a.stride(1),
        b.stride(0),
        b.stride(1)"""


def exchanged(text: str, one: str, other: str) -> str:
    return text.replace(one, "…").replace(other, one).replace("…", other)


# exercise, what stands in its solution, what stands there instead, id, tensor, what stands on the line that is named
SLIPS = [
    ("copy_2d", X_OFFSETS, exchanged(X_OFFSETS, "row", "col"), "strides-exchanged", "x_ptr", "x_offs ="),
    ("copy_2d", OUT_OFFSETS, exchanged(OUT_OFFSETS, "row", "col"), "strides-exchanged", "out_ptr", "out_offs ="),
    ("copy_2d", "*out.stride()", "*out.stride()[::-1]", "strides-exchanged", "out_ptr", "copy_kernel[grid]"),
    ("copy_2d", "*x.stride(),", "x.stride(1), x.stride(0),", "arguments-exchanged", None, "copy_kernel[grid]"),
    ("copy_2d", "c[None, :] * x_stride_col", "c[None, :]", "stride-ignored", "x_ptr", "x = tl.load"),
    ("copy_2d", "r[:, None] * x_stride_row", "r[:, None] * columns", "stride-ignored", "x_ptr", "x = tl.load"),
    ("copy_2d", "c[None, :] * out_stride_col", "c[None, :]", "output-strides", "out_ptr", "tl.store"),
    ("matmul", A_PTRS, exchanged(A_PTRS, "am", "ak"), "strides-exchanged", "a_ptr", "a_ptrs = "),
    ("matmul", B_PTRS, exchanged(B_PTRS, "bk", "bn"), "strides-exchanged", "b_ptr", "b_ptrs = "),
    ("matmul", A_THEN_B, exchanged(A_THEN_B, "a.s", "b.s"), "arguments-exchanged", None, "b.stride(0)"),
    ("matmul", "+= BK * stride_bk", "+= BK * stride_bn", "wrong-operand", None, "b_ptrs += "),
    ("matmul", "rn[None, :] * stride_bn", "rn[None, :]", "stride-ignored", "b_ptr", "b = tl.load"),
    (
        "transpose",
        "out_ptr + c[None, :] * rows + r[:, None]",
        "out_ptr + r[:, None] * rows + c[None, :]",
        "strides-exchanged",
        "out_ptr",
        "tl.store",
    ),
]


@pytest.fixture(scope="module")
def session() -> Session:
    return Session(device="cpu", target="sm_90")


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repair, "SECONDS", 60.0)
    monkeypatch.setattr(repair, "SUM_SECONDS", 60.0)


def first_error(session: Session, folder: Path, source: str) -> Finding:
    replies: list[Reply] = []
    request = Judge(
        run=next(_runs), exercise=str(folder), source=source, filename="mine.py", stages=["trace", "legality", "cases"]
    )
    judge(request, replies.append, session)
    session.forget_learner_files()
    return rank(finding for reply in replies if isinstance(reply, Found) for finding in reply.findings)[0]


@pytest.mark.parametrize(("exercise", "right", "wrong", "identifier", "tensor", "mark"), SLIPS)
def test_the_strides_are_named(
    session: Session, exercise: str, right: str, wrong: str, identifier: str, tensor: str | None, mark: str
) -> None:
    solution = (FOLDERS[exercise] / exercise / "solution.py").read_text("utf-8")
    assert right in solution
    source = solution.replace(right, wrong)
    found = first_error(session, FOLDERS[exercise] / exercise, source)
    assert (found.id, found.tensor) == (identifier, tensor), found
    assert mark in source.splitlines()[(found.line or 0) - 1]
    for language in ("en", "it"):
        said = explain(found, language)  # type: ignore[arg-type]
        assert right not in f"{said.title} {said.message} {said.fix}"


TURNED = "out_ptr + c[:, None] * rows + r[None, :]"
TURNED_MASK = "(c[:, None] < columns) & (r[None, :] < rows)"


@pytest.mark.parametrize(
    ("store", "identifier"),
    [
        (f"tl.store({TURNED}, tl.trans(x), mask=mask)", "mask-axes-swapped"),
        (f"tl.store({TURNED}, x, mask=mask)", "mask-axes-swapped"),
        (f"tl.store({TURNED}, x, mask={TURNED_MASK})", "wrong-axis"),
    ],
)
def test_what_of_a_square_tile_was_not_turned(session: Session, store: str, identifier: str) -> None:
    source = (LESSON / "transpose" / "solution.py").read_text("utf-8")
    for old, new in (
        ("tl.store(out_ptr + c[None, :] * rows + r[:, None], x, mask=mask)", store),
        ("BLOCK_ROWS=16, BLOCK_COLS=64", "BLOCK_ROWS=32, BLOCK_COLS=32"),
        ("(rows, 16), triton.cdiv(columns, 64)", "(rows, 32), triton.cdiv(columns, 32)"),
    ):
        assert old in source
        source = source.replace(old, new)
    found = first_error(session, LESSON / "transpose", source)
    assert found.id == identifier, found
    assert store in source.splitlines()[(found.line or 0) - 1]


def test_a_mask_that_really_is_swapped_stays_one(session: Session) -> None:
    solution = (LESSON / "copy_2d" / "solution.py").read_text("utf-8")
    mask = "(r[:, None] < rows) & (c[None, :] < columns)"
    source = solution.replace(mask, exchanged(mask, "rows", "columns"))
    assert source != solution
    assert first_error(session, LESSON / "copy_2d", source).id == "mask-axes-swapped"
