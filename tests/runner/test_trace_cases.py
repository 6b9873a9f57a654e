"""Real faults from public reports, kept outside this tree: each must get its diagnosis, on its line.

``TRITONTUI_CASES`` names the folder that holds them; without it these tests are skipped.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tritontui.diagnosis import explain
from tritontui.diagnosis.finding import Finding
from tritontui.engine.messages import Found, Reply, ScriptDone, TraceScript
from tritontui.runner.session import Session
from tritontui.runner.tracing.trace import trace_script

FOLDER = os.environ.get("TRITONTUI_CASES", "")
pytestmark = pytest.mark.skipif(not FOLDER, reason="TRITONTUI_CASES names no folder of cases")

DIAGNOSES = [
    ("01", "out-of-bounds-write", "tl.store(out_ptr"),
    ("02", "masked-load-without-other", "x = tl.load("),
    ("03", "wrong-padding-value", "x = tl.load("),
    ("05", "out-of-bounds-read", "a = tl.load("),
    ("05", "out-of-bounds-read", "b = tl.load("),
    ("06", "mask-axes-swapped", "mask = "),
    ("06", "never-written", "tl.store("),
    ("08", "out-of-bounds-read", "tl.store("),
    ("10", "int32-overflow", "offs = "),
    ("11", "stride-ignored", "x = tl.load("),
    ("11", "outside-view", "x = tl.load("),
    ("13", "transpose-as-reshape", "tl.store("),
    ("14", "grid-not-a-tuple", "kernel["),
    ("16", "program-id-unused", "offs = "),
    ("16", "never-written", "tl.store("),
    ("16", "write-conflict", "tl.store("),
    ("18", "launch-without-grid", "    kernel("),
    ("19", "grid-axis-too-long", "kernel["),
    ("21", "shared-memory-exceeded", "kernel["),
    ("23", "not-constexpr", "tl.arange("),
    ("24", "not-power-of-two", "tl.arange("),
    ("25", "global-not-constexpr", "SCALE"),
    ("26", "loop-carried-type", "acc += "),
    ("28", "block-indexing", "x[0]"),
    ("30", "unsupported-statement", "break"),
    ("32", "reduced-precision-dot", "tl.dot("),
    ("33", "duplicate-indices", "tl.store("),
    ("34", "autotune-side-effect", "@triton.autotune"),
    ("36", "no-progress", "while "),
    ("37", "low-precision-accumulation", "tl.atomic_add("),
    ("39", "benchmark-misuse", "do_bench("),
    ("40", "interpreter-set-too-late", ""),
]


def case_file(number: str) -> Path:
    (path,) = Path(FOLDER).glob(f"{number}_*.py")
    return path


@pytest.fixture(scope="module")
def findings() -> dict[str, list[Finding]]:
    """All findings of a case by its number, each case run once."""
    return {}


def findings_of(number: str, known: dict[str, list[Finding]]) -> list[Finding]:
    if number not in known:
        replies: list[Reply] = []
        path = case_file(number)
        request = TraceScript(run=1, path=str(path), arguments=[], working_directory=str(path.parent))
        trace_script(request, replies.append, Session("cpu", "sm_90"))
        found = [finding for reply in replies if isinstance(reply, Found) for finding in reply.findings]
        found += [reply.error for reply in replies if isinstance(reply, ScriptDone) and reply.error is not None]
        known[number] = found
    return known[number]


@pytest.mark.parametrize(("number", "diagnosis", "text"), DIAGNOSES, ids=lambda value: str(value))
def test_the_case_gets_its_diagnosis(
    number: str, diagnosis: str, text: str, findings: dict[str, list[Finding]]
) -> None:
    lines = case_file(number).read_text(encoding="utf-8").split('"""', 2)
    code_begins = lines[1].count("\n") + 1
    source = case_file(number).read_text(encoding="utf-8").splitlines()
    found = [finding for finding in findings_of(number, findings) if finding.id == diagnosis]
    assert found, [(finding.id, finding.line) for finding in findings_of(number, findings)]
    if text:
        shown = {finding.line for finding in found}
        wanted = {n for n, line in enumerate(source, 1) if text in line and n > code_begins}
        assert shown & wanted, (shown, wanted)
    for finding in found:
        for language in ("en", "it"):
            explanation = explain(finding, language)  # type: ignore[arg-type]
            assert explanation.title and explanation.message and "{" not in explanation.message
