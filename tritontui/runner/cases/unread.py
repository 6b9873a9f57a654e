"""Inputs that no program reads although the right answer depends on them: a proof that the result can't be right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from tritontui.analysis.blocks import walk_sites
from tritontui.analysis.trace import Trace
from tritontui.diagnosis.finding import Finding
from tritontui.runner.cases.check import Called, Question
from tritontui.runner.cases.contract import outputs_of
from tritontui.runner.cases.host import storage_of
from tritontui.runner.process.torch_state import defaults_aside
from tritontui.runner.spec import Exercise


def never_read(exercise: Exercise, question: Question, called: Called) -> Finding | None:
    """``never-read`` for the first argument of ``question`` whose unread elements the answer depends on.

    ``called``: the recorded call, with the question's own arguments. None when its traces are incomplete, or when
    nothing is left out.
    """
    if not called.traces or not all(trace.complete for trace in called.traces):
        return None
    for position, tensor in enumerate(question.arguments):
        if isinstance(tensor, torch.Tensor) and tensor.numel():
            loads = list(_loads(tensor, called))
            unread = _unread(tensor, loads)
            if loads and unread.any() and _answer_depends(exercise, question, position, unread):
                return _finding(unread, *loads[0], question)
    return None


def _loads(tensor: torch.Tensor, called: Called) -> Iterator[tuple[Trace, int]]:
    """Sites that read the tensor's storage."""
    for trace, (_, arguments) in zip(called.traces, called.launches or (), strict=True):
        for index, site in enumerate(trace.sites):
            if site.op != "store" and site.tensor >= 0:
                passed = arguments.get(trace.tensors[site.tensor].name)
                if isinstance(passed, torch.Tensor) and storage_of(passed) == storage_of(tensor):
                    yield trace, index


def _unread(tensor: torch.Tensor, loads: Sequence[tuple[Trace, int]]) -> NDArray[np.bool_]:
    """Which elements no site reached, in the tensor's shape."""
    read = np.zeros(tensor.untyped_storage().nbytes() // tensor.element_size(), bool)
    for trace, index in loads:
        shift = trace.tensors[trace.sites[index].tensor].storage_shift
        for block in walk_sites(trace, (index,)):
            read[block.offsets[block.touched] + shift] = True
    members = torch.arange(len(read)).as_strided(tensor.shape, tensor.stride(), tensor.storage_offset()).numpy()
    return np.asarray(~read[members])


@defaults_aside()
def _answer_depends(exercise: Exercise, question: Question, position: int, unread: NDArray[np.bool_]) -> bool:
    """Whether other values in ``unread`` of one argument give another answer."""
    assert exercise.reference is not None
    changed = list(question.arguments)
    where = torch.from_numpy(unread)
    tensor = changed[position].clone()
    tensor[where] = tensor[where] + 1 if tensor.is_floating_point() else tensor[where] ^ 1
    changed[position] = tensor
    try:
        before = outputs_of(exercise.reference(*question.arguments)) or []
        after = outputs_of(exercise.reference(*changed)) or []
    except Exception:  # such values may mean nothing to it: an index, a length
        return False
    return any(not torch.equal(one, other) for one, other in zip(before, after, strict=True))


def _finding(unread: NDArray[np.bool_], trace: Trace, index: int, question: Question) -> Finding:
    site = trace.sites[index]
    return Finding(
        id="never-read",
        severity="error",
        line=site.line,
        column=site.column,
        tensor=trace.tensors[site.tensor].name,
        params={
            "case": question.case.said,
            "index": [int(axis) for axis in np.argwhere(unread)[0]],
            "count": int(unread.sum()),
            "size": unread.size,
        },
    )
