"""Inputs as views, made for exercises: their layouts, and that a kernel which ignores strides is wrong on each."""

from __future__ import annotations

import pytest
import torch

from tritontui.engine.messages import CaseDone, Judge
from tritontui.runner.judge import judge
from tritontui.runner.session import Session
from tritontui.runner.spec import BETWEEN, VIEWS, in_each_view, seen_as

SHAPES = [(3, 5), (1, 1), (0, 5), (7,), (2, 3, 4)]
STRIDES = {
    "contiguous": (5, 1),
    "transposed": (1, 3),
    "sliced": (8, 1),
    "every other": (10, 2),
    "expanded": (0, 1),
}


def whole_storage(tensor: torch.Tensor) -> torch.Tensor:
    return torch.empty(0, dtype=tensor.dtype).set_(tensor.untyped_storage())


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, torch.int32, torch.bool])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("view", VIEWS)
def test_shape_dtype_and_values_stay(view, shape, dtype):
    if view == "transposed" and len(shape) < 2:
        pytest.skip("one axis has no other to change places with")
    tensor = (10 * torch.randn(shape, generator=torch.Generator().manual_seed(0))).to(dtype)
    seen = seen_as(view, tensor)
    assert (seen.shape, seen.dtype) == (tensor.shape, tensor.dtype)
    assert torch.equal(seen, tensor[:1].expand(shape) if view == "expanded" else tensor)


@pytest.mark.parametrize(("view", "strides"), STRIDES.items(), ids=str)
def test_the_elements_lie_as_the_view_says(view, strides):
    seen = seen_as(view, torch.arange(15.0).reshape(3, 5))
    assert seen.stride() == strides
    assert (seen.storage_offset() > 0) == (view == "sliced")


@pytest.mark.parametrize("view", ["sliced", "every other"])
def test_between_the_elements_lies_what_no_answer_has(view):
    seen = seen_as(view, torch.arange(15.0).reshape(3, 5))
    memory = whole_storage(seen)
    assert int((memory == BETWEEN).sum()) == memory.numel() - 15


def test_the_input_is_left_alone():
    tensor = torch.arange(15.0).reshape(3, 5)
    for view in VIEWS:
        seen_as(view, tensor).add_(0) if view != "expanded" else seen_as(view, tensor)
    assert torch.equal(tensor, torch.arange(15.0).reshape(3, 5))


def test_one_axis_can_not_be_transposed():
    with pytest.raises(ValueError, match="1 axes"):
        seen_as("transposed", torch.ones(3))


SPECIFICATION = """
import torch
from tritontui.runner.spec import EXACT, Case, Exercise, in_each_view, seen_as


def inputs(case, generator):
    return [seen_as(case["view"], torch.randn(case["rows"], case["columns"], generator=generator))]


CASES = in_each_view("5 × 12", {"rows": 5, "columns": 12}, seeds=(0,))
EXERCISE = Exercise(
    entry="copy", inputs=inputs, reference=lambda x: x.contiguous(), cases=CASES, trace_case=CASES[0],
    tolerances={torch.float32: EXACT}, reference_in_float64=False,
)
"""

SOLUTION = """import torch
import triton
import triton.language as tl


@triton.jit
def copy_kernel(x_ptr, out_ptr, rows, columns, sm, sn, BLOCK: tl.constexpr):
    m = tl.program_id(0)
    n = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + m * sm + n * sn, mask=n < columns)
    tl.store(out_ptr + m * columns + n, x, mask=n < columns)


def copy(x):
    rows, columns = x.shape
    out = torch.empty(rows, columns, device=x.device)
    copy_kernel[(rows,)](x, out, rows, columns, *x.stride(), BLOCK=16)
    return out
"""


@pytest.fixture
def verdicts(tmp_path):
    (tmp_path / "exercise.py").write_text(SPECIFICATION)

    def judged(source):
        replies = []
        request = Judge(run=1, exercise=str(tmp_path), source=source, filename="mine.py", stages=["trace", "cases"])
        judge(request, replies.append, Session(device="cpu", target="sm_90"))
        return {reply.result.name: reply.result.passed for reply in replies if isinstance(reply, CaseDone)}

    return judged


def test_a_kernel_that_uses_its_strides_is_right_on_each(verdicts):
    assert verdicts(SOLUTION) == {f"5 × 12, {view}": True for view in VIEWS}


def test_a_kernel_that_ignores_them_is_wrong_on_each_but_the_plain_one(verdicts):
    wrong = SOLUTION.replace("*x.stride()", "columns, 1")
    assert verdicts(wrong) == {f"5 × 12, {view}": view == "contiguous" for view in VIEWS}


def test_a_case_each_with_its_name():
    cases = in_each_view("3 × 5", {"rows": 3}, views=("contiguous", "expanded"), key="into", seeds=(7,))
    assert [(case.name, case["into"], case["rows"], case.seeds, case.names["it"]) for case in cases] == [
        ("3 × 5, contiguous", "contiguous", 3, (7,), "3 × 5, contigua"),
        ("3 × 5, expanded", "expanded", 3, (7,), "3 × 5, espansa"),
    ]
    [into] = in_each_view("3 × 5, into {view}", {}, views=("sliced",), it="3 × 5, in {view}")
    assert (into.name, into.names["it"]) == ("3 × 5, into sliced", "3 × 5, in ritagliata")
