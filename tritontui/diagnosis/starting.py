"""Why a runner can't start, or can't use the GPU, and what to install or do: recognised in the machine's own words."""

from __future__ import annotations

import re
from typing import NamedTuple

from tritontui.i18n import N_


class Cause(NamedTuple):
    """Both are marked for the catalogue."""

    title: str
    remedy: str


_CAUSES: tuple[tuple[str, Cause], ...] = (
    (
        r"No module named '?torch\b",
        Cause(
            N_("PyTorch is not installed"),
            N_("Install it in this environment: pip install torch. It brings the Triton that goes with it."),
        ),
    ),
    (
        r"No module named '?triton\b",
        Cause(
            N_("Triton is not installed"),
            N_("Install it in this environment: pip install triton. PyTorch's build for CPUs alone doesn't bring it."),
        ),
    ),
    (
        r"driver on your system is too old|driver version is insufficient|system has unsupported display driver",
        Cause(
            N_("the NVIDIA driver is too old for this PyTorch"),
            N_(
                "Update the driver, or install a PyTorch built for an older CUDA: nvidia-smi shows the newest one that "
                "the driver knows."
            ),
        ),
    ),
    (
        r"Torch not compiled with CUDA",
        Cause(
            N_("PyTorch is built without CUDA"),
            N_("Install PyTorch's CUDA build in this environment: pip install --force-reinstall torch."),
        ),
    ),
    (
        r"Found no NVIDIA driver|No CUDA GPUs are available|no CUDA-capable device|invalid device ordinal",
        Cause(
            N_("PyTorch finds no GPU"),
            N_("See whether nvidia-smi shows it; in a container it must be passed on (docker run --gpus all)."),
        ),
    ),
    (
        r"out of memory",
        Cause(
            N_("the GPU's memory is taken"),
            N_("nvidia-smi shows by whom. Try again when some of it is free, or choose another GPU: --device cuda:1."),
        ),
    ),
    (
        r"GPU is lost|fallen off the bus|CUDA error: unknown error|CUDA unknown error|uncorrectable ECC",
        Cause(
            N_("the GPU doesn't answer any more"),
            N_("See what nvidia-smi says. Most often only a restart of the machine brings it back."),
        ),
    ),
    (
        r"Failed to find C compiler",
        Cause(
            N_("there is no C compiler"),
            N_("Install one: sudo apt install gcc, or sudo dnf install gcc; without root: conda install gcc, CC=gcc."),
        ),
    ),
    (
        r"cannot open shared object|undefined symbol|GLIBCXX?_|Segmentation fault",
        Cause(
            N_("PyTorch or Triton is broken in this environment"),
            N_("Install both anew: pip install --force-reinstall torch."),
        ),
    ),
)


def start_cause(words: str) -> Cause | None:
    """What the words of a runner that couldn't start, or of torch, mean; None where nobody foresaw it."""
    return next((cause for pattern, cause in _CAUSES if re.search(pattern, words)), None)
