"""Triton's own interpreter, in a process of its own (``TRITON_INTERPRET`` must be set before Triton is imported).

Run as a script: ``oracle.py MODULE REGISTRY OUT`` launches every case of a registry and saves what came out.
``TRITONTUI_ORACLE_PYTHON`` names another Python for it: Triton 3.4 to 3.6's interpreter needs NumPy < 2.4.
"""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import torch

HERE = Path(__file__).parent


def oracle_outputs(module: str, registry: str, out: Path) -> dict[str, Any]:
    """Outputs by case name; a string instead where Triton's interpreter raised."""
    python = os.environ.get("TRITONTUI_ORACLE_PYTHON", sys.executable)
    paths = os.pathsep.join([str(HERE), str(out.parent)])
    environment = {**os.environ, "TRITON_INTERPRET": "1", "PYTHONPATH": paths}
    command = [python, __file__, module, registry, str(out)]
    subprocess.run(command, env=environment, check=True, capture_output=True, text=True, cwd=HERE)
    return dict(torch.load(out, weights_only=True))


def main(module: str, registry: str, out: str) -> None:
    outputs: dict[str, Any] = {}
    for case in getattr(importlib.import_module(module), registry).cases:
        if case.wrong_oracle:
            continue
        try:
            outputs[case.name] = case.launch()
        except Exception as error:
            outputs[case.name] = f"{type(error).__name__}: {error}"
    torch.save(outputs, out)


if __name__ == "__main__":
    main(*sys.argv[1:])
