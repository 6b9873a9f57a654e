"""The arrows between the layers, and what a start is allowed to cost."""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def modules_after(statement: str) -> set[str]:
    """Top-level names that a fresh interpreter has loaded after ``statement``."""
    script = f"{statement}\nimport sys\nprint(*sorted({{name.partition('.')[0] for name in sys.modules}}))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_the_interface_loads_neither_torch_nor_numpy() -> None:
    loaded = modules_after("import tritontui.ui.app, tritontui.ui.application")
    assert "textual" in loaded
    assert not loaded & {"torch", "triton", "numpy"}


@pytest.mark.parametrize("module", ["tritontui.cli", "tritontui.course.loader", "tritontui.engine.engine"])
def test_what_stands_below_the_interface_loads_no_textual(module: str) -> None:
    assert not modules_after(f"import {module}") & {"textual", "rich", "torch", "triton", "numpy"}


def test_contracts_hold() -> None:
    command = shutil.which("lint-imports", path=sysconfig.get_path("scripts"))
    if command is None:
        pytest.skip("import-linter is not installed here")
    done = subprocess.run([command], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(("library", "private"), [("triton", "runner/triton_compat"), ("textual", "ui/textual_compat")])
def test_private_names_of_others_are_touched_in_one_place(library: str, private: str) -> None:
    """``from triton.x import _y`` and ``textual…._z`` belong to the two modules that are checked at every upgrade."""
    folder = private.partition("/")[0]
    offenders = []
    for path in sorted((ROOT / "tritontui" / folder).rglob("*.py")):
        if path.relative_to(ROOT / "tritontui").as_posix().startswith(private):
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            words = line.split()
            if words[:1] != ["from"] or words[1].partition(".")[0] != library:
                continue
            imported = [name.strip("(),") for name in words[3:]]
            if any(part.startswith("_") for part in words[1].split(".")) or any(n.startswith("_") for n in imported):
                offenders.append(f"{path.relative_to(ROOT)}:{number}: {line}")
    assert not offenders, "\n".join(offenders)
