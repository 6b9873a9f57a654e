"""Machines that are less well, for lesson 2: what the doctor finds on each. The lesson's reports are made of them."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping
from unittest.mock import patch

from tritontui.commands.console import Console, Context
from tritontui.commands.doctor import print_checks
from tritontui.course.model import Language
from tritontui.course.paths import Paths
from tritontui.engine.messages import Check
from tritontui.i18n import translator

COLUMNS = 38
"""Of code in the lesson pane."""


def good(identifier: str, **params: object) -> Check:
    return Check(id=identifier, ok=True, detail="", params=params)


def bad(identifier: str, detail: str, **params: object) -> Check:
    return Check(id=identifier, ok=False, detail=detail, params=params)


def versions(torch: str = "2.11.0+cu130", triton: str = "3.6.0") -> list[Check]:
    return [good("python", found="3.12.8"), good("torch", found=torch), good("triton", found=triton)]


TOGETHER = good("torch-triton")
BUILT = good("torch-gpu")
COMPILER = good("c-compiler", path="/usr/bin/gcc")

MACHINES: Mapping[str, list[Check]] = {
    "no-cuda": [
        *versions("2.11.0+cpu"),
        TOGETHER,
        bad("torch-gpu", "1 NVIDIA GPU, CUDA -", gpus=1),
        COMPILER,
    ],
    "old-driver": [
        *versions(),
        TOGETHER,
        BUILT,
        COMPILER,
        bad("gpu-launch", "RuntimeError: The NVIDIA driver on your system is too old (found version 11040)"),
    ],
    "interpreted": [
        *versions(),
        TOGETHER,
        BUILT,
        bad("interpret-variable", "1", value="1"),
        COMPILER,
    ],
    "no-compiler": [
        *versions(),
        TOGETHER,
        BUILT,
        bad("c-compiler", "none found", path=""),
    ],
    "parted": [
        *versions(triton="3.9.0"),
        bad("torch-triton", "torch asks for 3.6.0", found="3.9.0", needed="3.6.0"),
        BUILT,
        COMPILER,
    ],
}
"""By the id of the report in the lesson."""


def report(machine: str, language: Language) -> str:
    """What the doctor prints there, as wide as the lesson's code may be; without its remedies, which are asked for."""
    out = io.StringIO()
    with patch.dict(os.environ, {"COLUMNS": str(COLUMNS)}):
        context = Context(language, translator(language), Paths.find(), "auto", Console(out, {"NO_COLOR": "1"}))
        print_checks(context, MACHINES[machine], remedies=False)
    return out.getvalue().rstrip("\n")
