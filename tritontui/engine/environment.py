"""The environment a runner child starts in."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import tritontui

_PACKAGE_ROOT = Path(tritontui.__file__).resolve().parents[1]
_INSTALLED_INTO = ("site-packages", "dist-packages")


def child_environment(device: str, folder: Path, inherited: Mapping[str, str] = os.environ) -> dict[str, str]:
    """For the child on ``device`` (``cpu`` or ``cuda:N``), whose temporary files go to ``folder``."""
    environment = {name: value for name, value in inherited.items() if name != "TRITON_INTERPRET"}
    environment |= {
        "TRITON_DEFAULT_FP_FUSION": inherited.get("TRITON_DEFAULT_FP_FUSION", "1"),  # 3.9 warns unless it is set
        "PYTHONFAULTHANDLER": "1",
        "PYTHONUTF8": "1",  # prints of a learner whose locale is C
        "TMPDIR": str(folder),
        # arrays of some megabytes come and go at every operation: kept, they need no fresh pages from the system
        "MALLOC_MMAP_THRESHOLD_": str(32 << 20),
        "MALLOC_TRIM_THRESHOLD_": str(512 << 20),
    }
    if device == "cpu":
        environment["CUDA_VISIBLE_DEVICES"] = ""  # its code never touches the GPU, so no fault can
    else:
        environment.setdefault("CUDA_DEVICE_ORDER", "PCI_BUS_ID")  # the management library's order
    if _PACKAGE_ROOT.name not in _INSTALLED_INTO:
        _append_path(environment, str(_PACKAGE_ROOT))  # run from a source tree
    return environment


def _append_path(environment: dict[str, str], folder: str) -> None:
    paths = [path for path in environment.get("PYTHONPATH", "").split(os.pathsep) if path]
    environment["PYTHONPATH"] = os.pathsep.join([*paths, folder])
