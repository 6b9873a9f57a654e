"""Every id is produced by a text of a learner's, through the whole judge: where, and for which it takes a machine."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.runner.test_repair import SLIPS
from tests.runner.test_runtime_rows import FLAT, LOAD, changed, traced
from tritontui.diagnosis import identifiers
from tritontui.runner.session import Session
from tritontui.toml import load_toml

TESTS = Path(__file__).parents[1]
LESSONS = TESTS.parent / "lessons"
MARKED = ("test_rejected.py", "test_runtime_rows.py", "test_met_in_libraries.py", "wrong_kernels/*.py")
"""Files of this folder whose kernels carry their id at the end of the faulty line."""

ASM = "tl.inline_asm_elementwise('mov.b32 $0, $1;', '=r,r', [x], tl.float32, True, 1)"
FOUND_TOO = {
    "outside-view": (FLAT, {"torch.empty(100)": "torch.empty(20, 10)[:, :5]"}),
    "untraceable": (FLAT, {LOAD: f"{LOAD}\n    x = {ASM}"}),
    "redundant-load": (
        FLAT,
        {
            "torch.randn(100)": "torch.randn(1024)",
            "torch.empty(100)": "torch.empty(1024)",
            "kernel[(4,)](x, out, 100": "kernel[(32,)](x, out, 1024",
            LOAD: f"{LOAD} + {LOAD} + {LOAD} + {LOAD}",
        },
    ),
    "cuda-on-cpu": (FLAT, {"torch.randn(100)": "torch.randn(100, device='cuda')"}),
}
"""Ids that other findings of the same script stand before."""

TESTED_IN = {
    "autotune-invalid-config": "unit/diagnosis/test_recognise.py",
    "changed-for-all": "faults/test_real_judge.py",
    "compile-error": "unit/diagnosis/test_recognise.py",
    "device-assert": "runner/lockstep/test_launches.py",
    "grid-fixed": "runner/test_sweep.py",
    "host-exception": "unit/diagnosis/test_recognise.py",
    "interpreter-set-too-late": "runner/scripts/test_trace_script.py",
    "interrupted": "runner/scripts/test_trace_script.py",
    "nondeterministic": "runner/test_nondeterministic.py",
    "partly-traced": "runner/scripts/test_script_launches.py",
    "runner-lost": "faults/test_learner_faults.py",
    "too-many-changes": "ui/test_fixing.py",
    "trace-budget": "unit/diagnosis/test_recognise.py",
}
"""Ids of which no single kernel is the cause, by the test that asks for them."""

OF_A_MACHINE = {
    "canary-overwritten": "a GPU without a trace before it",
    "fits-in-cache": "a measurement",
    "gpu-busy": "another process on the GPU",
    "gpu-fault": "a GPU that reports one",
    "gpu-power-capped": "a measurement under full load",
    "gpu-throttled": "a hot GPU",
    "gpu-waited": "another measurement",
    "gpu-waiting": "another measurement",
    "launch-bound": "a measurement",
    "no-c-compiler": "a machine without one",
    "no-gpu": "a machine without one",
    "noisy-measurement": "a measurement",
    "out-of-memory": "a machine with too little",
    "register-spill": "a target with too few registers",
    "resources-exceeded": "a GPU with too little",
    "shared-memory-exceeded": "a GPU with too little",
}
"""Ids that take a machine in some state; the tests of measuring and of the GPU stage those states."""


def produced() -> Iterator[str]:
    """Ids that other tests, and ``tritontui verify``, get from kernels."""
    for path in LESSONS.glob("*/exercises/*/attempts/*.py"):
        yield from re.findall(r"# expect: ([\w-]+)", path.read_text("utf-8"))
    for path in LESSONS.glob("*/exercises/*/breaks.toml"):
        yield from (one["answer"] for one in load_toml(path)["breaks"])
    for path in (path for pattern in MARKED for path in (TESTS / "runner").glob(pattern)):
        yield from re.findall(r"#! ([\w-]+)", path.read_text("utf-8"))
    yield from (one["id"] for one in load_toml(TESTS / "runner" / "said.toml").values())
    yield from (identifier for _, _, _, identifier, _ in SLIPS)


def test_every_id_is_produced() -> None:
    known = {*produced(), *FOUND_TOO, *TESTED_IN, *OF_A_MACHINE}
    assert set(identifiers()) <= known, set(identifiers()) - known


@pytest.mark.parametrize(("identifier", "path"), TESTED_IN.items())
def test_what_no_kernel_makes_alone_is_asked_for(identifier: str, path: str) -> None:
    assert f'"{identifier}"' in (TESTS / path).read_text("utf-8")


@pytest.mark.parametrize("identifier", FOUND_TOO)
def test_found_beside_others(identifier: str, tmp_path: Path) -> None:
    found = traced(Session(device="cpu", target="sm_90"), tmp_path / "mine.py", changed(*FOUND_TOO[identifier]))
    assert identifier in {one.id for one in found}
