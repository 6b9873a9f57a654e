"""The doctor's words: every check of the runner has them, in both languages, whatever it knows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import tritontui
from tritontui.diagnosis.checks import _WORDS, say
from tritontui.engine.messages import Check
from tritontui.engine.status import EngineStatus
from tritontui.i18n import LANGUAGES, translator
from tritontui.ui.views.status import engine_words


def test_every_check_that_is_made_has_words() -> None:
    package = Path(tritontui.__file__).parent
    source = (package / "runner" / "doctor" / "probe.py").read_text() + (package / "engine" / "engine.py").read_text()
    made = set(re.findall(r'Check\(id="([\w-]+)"', source)) | set(re.findall(r'\("([\w-]+)", (?:lambda|_)', source))
    assert made and made <= _WORDS.keys(), made - _WORDS.keys()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("identifier", _WORDS)
def test_a_check_that_broke_off_is_still_said(identifier: str, language: str) -> None:
    check = Check(id=identifier, ok=False, detail="RuntimeError: why", params={"reason": "why"})
    said = say(check, translator(language))  # type: ignore[arg-type]  # a Language
    assert said.title and "{" not in said.title + said.remedy


def test_what_is_known_is_named() -> None:
    check = Check(id="torch", ok=False, detail="2.1", params={"found": "2.1", "needed": "2.8"})
    assert say(check, translator("en")) == (
        "torch 2.1 is too old: 2.8 or newer is needed",
        "Upgrade it in this environment: pip install --upgrade torch",
    )
    good = Check(id="torch", ok=True, detail="2.9", params={"found": "2.9", "needed": "2.8"})
    assert say(good, translator("it")) == ("torch 2.9", "")


MACHINES = {
    "ModuleNotFoundError: No module named 'torch'": "PyTorch is not installed",
    "ModuleNotFoundError: No module named 'triton'": "Triton is not installed",
    "ImportError: libcudart.so.12: cannot open shared object file": "PyTorch or Triton is broken in this environment",
    "RuntimeError: The NVIDIA driver on your system is too old (found version 11040). Please": "the NVIDIA driver "
    "is too old for this PyTorch",
    "AssertionError: Torch not compiled with CUDA enabled": "PyTorch is built without CUDA",
    "RuntimeError: Found no NVIDIA driver on your system. Please check": "PyTorch finds no GPU",
    "RuntimeError: No CUDA GPUs are available": "PyTorch finds no GPU",
    "OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 MiB.": "the GPU's memory is taken",
    "AcceleratorError: CUDA error: out of memory": "the GPU's memory is taken",
    "NVMLError_GpuIsLost: GPU is lost": "the GPU doesn't answer any more",
    "RuntimeError: CUDA unknown error - this may be due to an incorrectly set up environment": "the GPU doesn't answer "
    "any more",
    "RuntimeError: Failed to find C compiler. Please specify via CC environment variable": "there is no C compiler",
}
"""What torch and Triton say of a machine that can't, and how it is said here."""


@pytest.mark.parametrize("words", MACHINES)
def test_a_machine_that_cannot_is_told_what_to_install(words: str) -> None:
    check = Check(id="runner-start", ok=False, detail=words, params={"device": "cuda:0"})
    said = say(check, translator("en"))
    assert said.title == f"the process for cuda:0 doesn't start: {MACHINES[words]}"
    in_italian = say(check, translator("it"))
    assert said.remedy and in_italian.remedy not in ("", said.remedy)
    status = EngineStatus("CPU", "ready", None, words)
    assert engine_words(status, True, translator("en")) == f"CPU · ready · no GPU: {MACHINES[words]} · live"


def test_an_unknown_check_is_shown_as_it_came() -> None:
    check = Check(id="new", ok=False, detail="so", params={})
    assert say(check, translator("en")) == ("new: so", "")
