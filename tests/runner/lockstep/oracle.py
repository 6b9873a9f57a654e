"""Triton's own interpreter, in a process of its own (``TRITON_INTERPRET`` must be set before Triton is imported).

Run as a script: ``oracle.py MODULE REGISTRY OUT`` launches every case of a registry and saves what came out.
``TRITONTUI_ORACLE_PYTHON`` names another Python for it: Triton 3.4 to 3.6's interpreter needs NumPy < 2.4.
A case that runs longer than ``SECONDS`` counts as raising: 3.6's loops for ever where a ``while`` has a hint.
"""

from __future__ import annotations

import importlib
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import torch
import triton

HERE = Path(__file__).parent
SECONDS = 120
VERSION = "version of Triton"
"""Among the outputs: whose interpreter it was."""


def oracle_outputs(module: str, registry: str, out: Path) -> dict[str, Any]:
    """Outputs by case name; a string instead where Triton's interpreter raised."""
    python = os.environ.get("TRITONTUI_ORACLE_PYTHON", sys.executable)
    paths = os.pathsep.join([str(HERE), str(out.parent)])
    environment = {**os.environ, "TRITON_INTERPRET": "1", "PYTHONPATH": paths}
    command = [python, __file__, module, registry, str(out)]
    subprocess.run(command, env=environment, check=True, capture_output=True, text=True, cwd=HERE)
    return dict(torch.load(out, weights_only=True))


def is_older(version: str, since: str) -> bool:
    """Is ``version`` before ``since`` ("3.7")? Nothing is before ""."""
    return bool(since) and tuple(map(int, version.split(".")[:2])) < tuple(map(int, since.split(".")))


def _too_long(*_: Any) -> None:
    raise TimeoutError(f"no end after {SECONDS} s")


def main(module: str, registry: str, out: str) -> None:
    outputs: dict[str, Any] = {VERSION: triton.__version__}
    signal.signal(signal.SIGALRM, _too_long)
    for case in getattr(importlib.import_module(module), registry).cases:
        if case.wrong_oracle or is_older(triton.__version__, case.oracle_since):
            continue
        signal.alarm(SECONDS)
        try:
            outputs[case.name] = case.launch()
        except Exception as error:
            outputs[case.name] = f"{type(error).__name__}: {error}"
        signal.alarm(0)
    torch.save(outputs, out)


if __name__ == "__main__":
    main(*sys.argv[1:])
