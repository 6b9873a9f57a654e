"""What the doctor says of each check of this machine, and what to do where one fails."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

from tritontui.diagnosis.starting import start_cause
from tritontui.i18n import N_, Translator


class Check(Protocol):
    """One check as a runner reports it (``engine.messages.Check``)."""

    id: str
    ok: bool
    detail: str
    params: dict[str, Any]


class Said(NamedTuple):
    """A check in words."""

    title: str
    remedy: str
    """What to do; empty when all is well."""


class _Words(NamedTuple):
    good: str
    bad: str
    remedy: str


_TOO_OLD = N_("{id} {found} is too old: {needed} or newer is needed")
_VERSION = N_("{id} {found}")
_UPGRADE = N_("Upgrade it in this environment: pip install --upgrade {id}")
_REINSTALL = N_("Triton's wheel brings it: pip install --force-reinstall triton, in the version you have now.")

_WORDS: Mapping[str, _Words] = {
    "python": _Words(_VERSION, _TOO_OLD, N_("Make the environment anew with Python {needed} or newer.")),
    "torch": _Words(_VERSION, _TOO_OLD, _UPGRADE),
    "triton": _Words(_VERSION, _TOO_OLD, N_("Upgrade PyTorch, which brings the Triton it was tested with.")),
    "numpy": _Words(_VERSION, _TOO_OLD, _UPGRADE),
    "torch-import": _Words(
        N_("PyTorch can be imported"),
        N_("PyTorch is missing, or can't be imported"),
        N_("Install it in this environment: pip install torch. It brings the Triton that goes with it."),
    ),
    "triton-import": _Words(
        N_("Triton can be imported"),
        N_("Triton is missing, or can't be imported"),
        N_("PyTorch's build for CUDA brings it: pip install torch. The build for CPUs alone doesn't."),
    ),
    "module-shadowed": _Words(
        N_("{name} is the package of that name"),
        N_("import {name} finds something else"),
        N_("Rename it or move it away: Python takes the first {name} that it comes across."),
    ),
    "torch-triton": _Words(
        N_("PyTorch and Triton go together"),
        N_("this PyTorch goes with Triton {needed}, and {found} is installed"),
        N_("Install the two together: pip install triton=={needed}. Upgrading triton alone parts them."),
    ),
    "torch-gpu": _Words(
        N_("PyTorch is built for what is in this machine"),
        N_("there is a GPU, and PyTorch is built without CUDA"),
        N_("Install PyTorch's CUDA build in this environment. Until then everything works except measuring."),
    ),
    "compiler": _Words(
        N_("Triton's compiler works"),
        N_("Triton's compiler doesn't work"),
        N_("Install triton again in this environment."),
    ),
    "cuobjdump": _Words(N_("cuobjdump works"), N_("cuobjdump doesn't work: no registers, no machine code"), _REINSTALL),
    "nvdisasm": _Words(N_("nvdisasm works"), N_("nvdisasm doesn't work: no machine code"), _REINSTALL),
    "cache": _Words(
        N_("compiled kernels are kept in {path}"),
        N_("compiled kernels can't be kept in {path}"),
        N_("Make it writable for you, or set TRITON_CACHE_DIR to a folder of your own."),
    ),
    "interpret-variable": _Words(
        N_("TRITON_INTERPRET is not set"),
        N_("TRITON_INTERPRET is set: your own scripts will not compile"),
        N_("Take it out of the environment: unset TRITON_INTERPRET. tritontui itself ignores it."),
    ),
    "gpu": _Words(
        N_("{name}, {target}, {gib} GiB"),
        N_("the GPU can't be used"),
        N_("See whether nvidia-smi shows it, and whether another program has taken all its memory."),
    ),
    "gpu-sensors": _Words(
        N_("clocks and throttling of the GPU can be read"),
        N_("clocks and throttling of the GPU can't be read"),
        N_("Measuring works without them, but can't say when the GPU was throttled or shared."),
    ),
    "c-compiler": _Words(
        N_("C compiler: {path}"),
        N_("there is no C compiler"),
        N_(
            "Triton builds the launcher of each kernel with one. Install it: sudo apt install gcc (Debian, Ubuntu), "
            "sudo dnf install gcc (Fedora, RHEL); without root: conda install gcc. Or name another in CC."
        ),
    ),
    "python-headers": _Words(
        N_("Python's headers: {path}"),
        N_("Python's headers are missing: there is no {path}"),
        N_(
            "Triton builds the launcher of each kernel with them. Install them: sudo apt install python3-dev (Debian, "
            "Ubuntu), sudo dnf install python3-devel (Fedora, RHEL); or use a Python from uv or conda, which brings "
            "them."
        ),
    ),
    "gpu-launch": _Words(
        N_("a kernel runs on the GPU and is right"),
        N_("a kernel doesn't run on the GPU"),
        N_("The message below says why. An old driver is the usual cause: compare nvidia-smi's CUDA with PyTorch's."),
    ),
    "runner-start": _Words(
        N_("the process for {device} starts"),
        N_("the process for {device} doesn't start"),
        N_("The message below says why. Most often torch or triton is missing or broken in this environment."),
    ),
}

_TOLD_BY_THE_MACHINE = ("runner-start", "gpu", "gpu-launch")
"""Checks whose detail is what torch or Triton said."""


def say(check: Check, tr: Translator) -> Said:
    """The words for ``check``; one that isn't known here is shown as it came."""
    words = _WORDS.get(check.id)
    values = {"id": check.id, **check.params}
    if not check.ok and check.id in _TOLD_BY_THE_MACHINE and (cause := start_cause(check.detail)) is not None:
        bad = _filled(words.bad, values, tr) if words is not None else check.id
        return Said(f"{bad}: {tr(cause.title)}" if check.id == "runner-start" else bad, tr(cause.remedy))
    if words is None:
        return Said(f"{check.id}: {check.detail}", "")
    return Said(
        _filled(words.good if check.ok else words.bad, values, tr) or f"{check.id}: {check.detail}",
        "" if check.ok else _filled(words.remedy, values, tr),
    )


def _filled(text: str, values: Mapping[str, Any], tr: Translator) -> str:
    """The translation, or nothing where a check ended too early to know what the text names."""
    try:
        return tr(text, **values)
    except KeyError:
        return ""
