"""``low-precision-accumulation`` by a loop, a product or a reduction: what is said of it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import torch

from tritontui.diagnosis.catalogue import entry
from tritontui.diagnosis.edits import Edit
from tritontui.diagnosis.finding import Finding
from tritontui.diagnosis.reading import text
from tritontui.runner.check import Question
from tritontui.runner.compile import Launch

NARROW: Mapping[torch.dtype, str] = {torch.float16: "fp16", torch.bfloat16: "bf16"}


def few_bits(
    edit: Edit, question: Question, outputs: Sequence[torch.Tensor], launches: Sequence[Launch]
) -> Finding | None:
    """``edit`` made ``question`` right, of which the learner's own kernel gives ``outputs``; None if they are right."""
    for output, exact in zip(outputs, question.exact, strict=False):
        error = (output.to(torch.float64) - exact).abs()
        if not error.numel() or not float(error.max()) > 0:
            continue
        flat = int(error.argmax())
        index = [int(one) for one in torch.unravel_index(torch.tensor(flat), error.shape)]
        return Finding(
            id=edit.kind,
            severity=entry(edit.kind).severity,
            line=edit.line,
            column=edit.column,
            params={
                "dtype": _dtype(edit, launches),
                "operation": "",
                "worst": "",
                "name": edit.part,
                "case": question.case.name,
                "index": index,
                "expected": f"{float(exact.reshape(-1)[flat]):.5g}",
                "got": f"{float(output.reshape(-1)[flat]):.5g}",
            },
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
