"""The arrows between the layers, and what a start is allowed to cost."""

from __future__ import annotations

import os
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


FIRST_FRAME = {
    "": ("cli", "commands", "course", "engine", "i18n", "keys", "toml", "ui",),
    "commands": ("status",),
    "course": (
        "arithmetic", "asking", "breaking", "evidence", "exercises", "experiments", "faults", "figures", "loader",
        "markdown", "model", "opening", "paths", "progress", "questions", "records", "schema", "storage", "structure",
        "words", "work",
    ),
    "engine": ("status",),
    "i18n": ("language", "numbers", "plain", "translation",),
    "keys": ("commands", "file", "names",),
    "ui": (
        "app", "colours", "layout", "learner", "learner.desk", "start", "start.beginning", "start.environment",
        "start.first_frame", "terminal", "terminal.leaving", "terminal.threshold", "views", "views.key_hints",
        "views.status",
    ),
}  # fmt: skip
"""All of ours that the first frame waits for. Think twice before adding one: each costs every start its time."""

UNTIL_DRAWN = """
import sys
from tritontui import cli
from tritontui.ui import app
from tritontui.ui.terminal import threshold

def entered(threshold):
    return threshold

def show(self, drawn):
    assert "Vector addition" in drawn(120, 40)
    print(*sorted(sys.modules))
    raise SystemExit

threshold.Threshold.__enter__, threshold.Threshold.show = entered, show
app.run(app.Options(lesson=5))
"""


def test_the_first_frame_waits_for_these_modules_only(tmp_path: Path) -> None:
    """Textual isn't among them."""
    environ = os.environ | {"TRITONTUI_HOME": str(tmp_path)}
    command = [sys.executable, "-c", UNTIL_DRAWN]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environ)
    loaded = set(done.stdout.split())
    ours = {
        ".".join(filter(None, ("tritontui", folder, name))) for folder, names in FIRST_FRAME.items() for name in names
    }
    assert {name for name in loaded if name.startswith("tritontui.")} == ours
    assert not loaded & {"textual", "rich.console", "asyncio", "msgspec", "pygments", "markdown_it", "shlex"}


UNTIL_READY = """
import sys, textual
from tritontui.ui.app import Options
from tritontui.ui.start.environment import prepare
terminal = prepare()
from tritontui.ui.application import TritonApp

class EditorOnly(TritonApp):
    def on_ready(self):
        self.exit(sorted(sys.modules))

print(*EditorOnly(Options(lesson=5), terminal).run(headless=True))
"""


def test_the_editor_waits_for_no_results_and_no_runner(tmp_path: Path) -> None:
    environ = os.environ | {"TRITONTUI_HOME": str(tmp_path)}
    command = [sys.executable, "-c", UNTIL_READY]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environ)
    loaded = set(done.stdout.split())
    assert "tritontui.ui.widgets.editor" in loaded
    results = {f"tritontui.ui.widgets.{name}" for name in ("access_map", "results", "speed", "steps", "verdict")}
    others = {"msgspec", "pygments", "markdown_it", "tree_sitter", "watchfiles", "tritontui.engine.engine"}
    assert not loaded & (results | others)


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
