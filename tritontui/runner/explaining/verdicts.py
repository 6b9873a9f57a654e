"""What is said of a failed case: findings from mismatches, from overwritten canaries, from a GPU's own errors."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from tritontui.analysis.blocks import walk
from tritontui.analysis.trace import Trace
from tritontui.diagnosis.catalogue import entry
from tritontui.diagnosis.finding import Finding
from tritontui.engine.messages import Mismatch
from tritontui.runner.cases.again import Change
from tritontui.runner.cases.check import CaseOutcome
from tritontui.runner.cases.host import storage_of
from tritontui.runner.compiler.compile import Built
from tritontui.runner.measuring.large import WrongAtScaleError
from tritontui.runner.triton_compat import JITFunction


@dataclass(frozen=True)
class Owner:
    """The store that wrote an element last: where it stands, and who ran it."""

    line: int
    column: int
    tensor: str
    program: int | list[int]
    lane: int


def owner_of(
    output: torch.Tensor, index: Sequence[int], traces: Sequence[Trace], arguments: Mapping[str, int]
) -> Owner | None:
    """Who wrote ``output[index]`` last; ``arguments`` gives the storage of each kernel argument by name."""
    offset = sum(i * stride for i, stride in zip(index, output.stride(), strict=True))
    owner = None
    for trace in traces:
        for block in walk(trace, "store", "atomic"):
            site = trace.sites[block.access.site]
            name = trace.tensors[site.tensor].name
            if arguments.get(name) != storage_of(output):
                continue
            whole = block.every_program()
            where = np.argwhere(whole.touched & (whole.offsets == offset))
            if len(where):
                row, lane = (int(i) for i in where[-1])
                program = trace.program_id(int(whole.programs[row]))
                owner = Owner(site.line, site.column, name, program, lane)
    return owner


def findings_of(outcome: CaseOutcome, owner: Owner | None, device: str, source: str) -> list[Finding]:
    """Findings of a case whose values are wrong or whose canaries died; ``source``: the submission's text."""
    findings = list(outcome.strays)
    if outcome.overwritten:
        findings.append(_overwritten(outcome, device))
    mismatch = outcome.result.first_mismatch
    if mismatch is not None:
        findings.append(
            _overflow(outcome, mismatch, owner)
            or _reduced_precision(outcome, mismatch, source)
            or _mismatch(outcome, mismatch, device, owner)
        )
    return findings


def _reduced_precision(outcome: CaseOutcome, mismatch: Mismatch, source: str) -> Finding | None:
    """float32 results off by noise, from a ``tl.dot`` that rounds its operands to TF32, as it does by default."""
    if mismatch.pattern != "noise" or outcome.output is None or outcome.output.dtype != torch.float32:
        return None
    cut = outcome.cut
    dots = (call for call in _calls(source, "dot") if not _is_exact(call))
    dot = next((call for call in dots if cut is None or call.lineno in cut), None)
    if dot is None:
        return None
    return Finding(
        id="reduced-precision-dot",
        severity="error",
        line=dot.lineno,
        column=dot.col_offset + 1,
        params={
            **_first_wrong(outcome, mismatch),
            "worst": mismatch.pattern_params["worst"],
            "precision": "tf32",
        },
    )


_PRECISIONS: dict[str | None, object] = {"input_precision": "tf32", "allow_tf32": True}
"""The arguments of ``tl.dot`` that say how float32 is multiplied, and what means TF32 in each."""


def _calls(source: str, method: str) -> list[ast.Call]:
    return [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == method
    ]


def _is_exact(dot: ast.Call) -> bool:
    """Whether the call asks for another precision than TF32, the default; what a variable asks for isn't known."""
    return any(
        keyword.arg in _PRECISIONS
        and not (isinstance(keyword.value, ast.Constant) and keyword.value.value in (_PRECISIONS[keyword.arg], None))
        for keyword in dot.keywords
    )


_NO_PATTERN = {"first": 0, "last": 0, "first_row": 0, "last_row": 0, "k": 0, "worst": 0.0, "by": 0}
"""What the words of a ``value-mismatch`` know of a pattern, where there is none."""


def _mismatch(outcome: CaseOutcome, mismatch: Mismatch, device: str, owner: Owner | None) -> Finding:
    return Finding(
        id="value-mismatch",
        severity="error",
        **_whereabouts(owner),
        params={
            **_NO_PATTERN,
            **mismatch.pattern_params,
            **_first_wrong(outcome, mismatch),
            "difference": mismatch.difference,
            "wrong": mismatch.wrong,
            "total": mismatch.total,
            "device": device,
            "pattern": mismatch.pattern or "",
        },
    )


def differs_again(change: Change, entry: str, line: int | None) -> Finding:
    """``nondeterministic``: ``entry``, called twice with the same inputs, gave two answers."""
    params = {**change.params(), "again": True, "entry": entry}
    return Finding(id="nondeterministic", severity="error", line=line, params=params)


def wrong_at_scale(error: WrongAtScaleError, device: str) -> Finding:
    """``value-mismatch`` for the measured case, of which only the count is known."""
    return Finding(
        id="value-mismatch",
        severity="error",
        params={
            **_NO_PATTERN,
            "case": error.case,
            "index": [],
            "expected": "",
            "got": "",
            "difference": "",
            "wrong": error.wrong,
            "total": error.total,
            "device": device,
            "pattern": "all" if error.wrong == error.total else "",
        },
    )


def _overflow(outcome: CaseOutcome, mismatch: Mismatch, owner: Owner | None) -> Finding | None:
    """The output is infinite at the first wrong element, and the right value is finite in its dtype."""
    output, exact = outcome.output, outcome.exact
    if output is None or exact is None or not output.is_floating_point():
        return None
    at = tuple(mismatch.index)
    limit = torch.finfo(output.dtype).max
    if not bool(output[at].isinf()) or not abs(float(exact[at])) <= limit:
        return None
    return Finding(
        id="overflow-to-inf",
        severity="error",
        **_whereabouts(owner),
        params={
            **_first_wrong(outcome, mismatch),
            "dtype": str(output.dtype).removeprefix("torch."),
            "limit": limit,
            "wrong": mismatch.wrong,
            "total": mismatch.total,
        },
    )


def _first_wrong(outcome: CaseOutcome, mismatch: Mismatch) -> dict[str, Any]:
    """What every finding about wrong values says: the case and its first wrong element."""
    return {
        "case": outcome.result.name,
        "index": mismatch.index,
        "expected": mismatch.expected,
        "got": mismatch.got,
    }


def _whereabouts(owner: Owner | None) -> dict[str, Any]:
    if owner is None:
        return {}
    return {
        "line": owner.line,
        "column": owner.column,
        "tensor": owner.tensor,
        "program": owner.program,
        "lanes": [(owner.lane, owner.lane)],
    }


def _overwritten(outcome: CaseOutcome, device: str) -> Finding:
    first = outcome.overwritten[0]
    return Finding(
        id="canary-overwritten",
        severity="error",
        params={
            "case": outcome.result.name,
            "index": first.index,
            "count": first.count,
            "size": first.size,
            "shape": first.shape,
            "device": device,
        },
    )


# ---------------------------------------------------------------- the GPU's own errors

FAULTS: tuple[tuple[str, str], ...] = (
    ("illegal memory access", "illegal-address"),
    ("misaligned address", "misaligned-address"),
    ("device-side assert", "device-assert"),
    ("launch timed out", "launch-timeout"),
    ("unspecified launch failure", "other"),
    ("illegal instruction", "other"),
    ("hardware stack error", "other"),
    ("invalid program counter", "other"),
)
"""What CUDA calls the errors after which a process's context is lost, and our name for each."""

_REQUESTED = re.compile(r"Tried to allocate ([\d.]+) (bytes|KiB|MiB|GiB|TiB)")
_UNITS = {"bytes": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}


def fault_of(error: BaseException | None) -> str | None:
    """Name of the CUDA fault that ``error`` reports; None when it is no fault of the device."""
    words = str(error).lower() if error is not None else ""
    return next((name for phrase, name in FAULTS if phrase in words), None)


def is_sticky(error: BaseException | None) -> bool:
    """Whether the process can't use its GPU any more after ``error``."""
    return fault_of(error) is not None


def machine_fault(error: Exception, case: str, device: str) -> Finding | None:
    """``gpu-fault`` or ``out-of-memory`` when ``error`` is the machine's; None when it is the code's."""
    if isinstance(error, (torch.OutOfMemoryError, MemoryError)):
        match = _REQUESTED.search(str(error))
        requested = int(float(match[1]) * _UNITS[match[2]]) if match else 0
        return out_of_memory(requested, device, str(error))
    fault = fault_of(error)
    if fault is None:
        return None
    return Finding(id="gpu-fault", severity="error", params={"fault": fault, "case": case}, original=str(error))


def out_of_memory(requested: int, device: str, original: str | None = None) -> Finding:
    """``requested`` bytes (0: unknown) that ``device`` hasn't got."""
    free, total = torch.cuda.mem_get_info(device) if device.startswith("cuda") else (0, 0)
    return Finding(
        id="out-of-memory",
        severity="error",
        params={"requested": requested, "free": free, "total": total, "device": device},
        original=original,
    )


# ---------------------------------------------------------------- the compiler's figures


def spills(built: Built, kernel: JITFunction, source: str) -> list[Finding]:
    """``register-spill``, on the kernel's ``def``, when its threads keep values in local memory."""
    if not built.spill_bytes or built.resources is None:
        return []
    return [
        Finding(
            id="register-spill",
            severity="warning",
            line=_definition_line(source, kernel.fn.__name__),
            params={"kernel": built.name, "bytes": built.spill_bytes, "registers": built.resources.registers},
        )
    ]


def _definition_line(source: str, function: str) -> int | None:
    nodes = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef))
    return next((node.lineno for node in nodes if node.name == function), None)


def leaves_memory(finding: Finding) -> bool:
    """Whether ``finding`` says that the kernel touches memory that isn't its own."""
    return finding.severity == "error" and finding.id in (
        "out-of-bounds-read",
        "out-of-bounds-write",
        "outside-view",
    )


OF_PADDING = ("wrong-padding-value", "masked-load-without-other")


def explains_values(finding: Finding) -> bool:
    """Whether ``finding`` says why values are wrong, or that worse is wrong than values.

    Padding that is counted may only follow from wrong arithmetic, such as ``exp(peak - x)``.
    """
    if finding.id in ("value-mismatch", *OF_PADDING):
        return False
    return finding.severity == "error" or (
        finding.severity == "warning" and "value-mismatch" in entry(finding.id).folds
    )


def identity(finding: Finding) -> tuple[Any, ...]:
    """Equal for findings that say the same thing about the same place: one of them is enough in a run."""
    return (finding.id, finding.line, finding.tensor, finding.params.get("reason"))
