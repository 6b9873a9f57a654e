"""What is said of a change that made the result right."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import torch

from tritontui.diagnosis.catalogue import entry
from tritontui.diagnosis.edits import Edit
from tritontui.diagnosis.finding import Finding
from tritontui.diagnosis.reading import text
from tritontui.runner.cases.check import Question
from tritontui.runner.compiler.compile import Launch
from tritontui.runner.spec import Case

NARROW: Mapping[torch.dtype, str] = {torch.float16: "fp16", torch.bfloat16: "bf16"}


def slip(edit: Edit, case: Case, others: int) -> Finding:
    """``edit`` made ``case`` right, and ``others`` more."""
    return _finding(edit, expression=edit.expression, part=edit.part, case=case.said, others=others or None)


def few_bits(
    edit: Edit, question: Question, outputs: Sequence[torch.Tensor], launches: Sequence[Launch]
) -> Finding | None:
    """``low-precision-accumulation``: ``edit``, a wider sum, made ``question`` right, to which the learner's own kernel
    answers ``outputs``; None if those are right."""
    for output, exact in zip(outputs, question.exact, strict=False):
        error = (output.to(torch.float64) - exact).abs()
        if not error.numel() or not float(error.max()) > 0:
            continue
        flat = int(error.argmax())
        index = [int(one) for one in torch.unravel_index(torch.tensor(flat), error.shape)]
        return _finding(
            edit,
            dtype=_dtype(edit, launches),
            operation="",
            worst="",
            name=edit.part,
            case=question.case.said,
            index=index,
            expected=f"{float(exact.reshape(-1)[flat]):.5g}",
            got=f"{float(output.reshape(-1)[flat]):.5g}",
        )
    return None


def _dtype(edit: Edit, launches: Sequence[Launch]) -> str:
    """In what the sum is kept: as the text says, else as the tensors that it names are, else as any tensor is."""
    written = " ".join(text(node) for node, _ in edit.replacements)
    for short, names in (("bf16", ("bfloat16", "bf16")), ("fp16", ("float16", "fp16"))):
        if any(name in written for name in names):
            return short
    tensors = {
        name: value
        for launch in launches
        for name, value in launch.arguments.items()
        if isinstance(value, torch.Tensor) and value.dtype in NARROW
    }
    named = [name for name in re.findall(r"\w+", written) if name in tensors]
    return next((NARROW[tensors[name].dtype] for name in (*named, *tensors)), "")


def strides_exchanged(edit: Edit, launches: Sequence[Launch], case: Case) -> Finding | None:
    """``strides-exchanged``: on the launch, where it passes a tensor's strides in reverse; None for another kind."""
    if edit.kind != "strides-exchanged":
        return None
    for launch in launches:
        given = [value for name, value in launch.arguments.items() if _names(edit, name) and type(value) is int]
        tensor = launch.arguments.get(edit.part)
        if not isinstance(tensor, torch.Tensor) or tensor.dim() != 2:
            continue
        rows, columns = tensor.stride()
        passed = given == [columns, rows] and rows != columns
        found = _finding(
            edit,
            expression=edit.expression,
            case=case.said,
            where="launch" if passed else "kernel",
            shape=list(tensor.shape),
            rows_apart=rows,
            columns_apart=columns,
        )
        found.tensor = edit.part
        if passed and launch.line:
            found.line, found.column = launch.line, None
        return found
    found = _finding(
        edit, expression=edit.expression, case=case.said, where="kernel", shape=[], rows_apart=None, columns_apart=None
    )
    found.tensor = edit.part or None
    return found


def _names(edit: Edit, name: str) -> bool:
    return any(re.search(rf"\b{name}\b", replacement) for _, replacement in edit.replacements)


def _finding(edit: Edit, **params: Any) -> Finding:
    return Finding(id=edit.kind, severity=entry(edit.kind).severity, line=edit.line, column=edit.column, params=params)
