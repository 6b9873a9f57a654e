"""Which GPU there is, found without importing torch: NVIDIA's management library, or the device nodes."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_CONTROL_NODE = Path("/dev/nvidiactl")


@dataclass(frozen=True)
class Gpu:
    device: str
    """``cuda:N``, in the numbering of CUDA_VISIBLE_DEVICES with CUDA_DEVICE_ORDER=PCI_BUS_ID."""
    name: str
    """Short: ``H200``."""
    target: str | None
    """``sm_90``; None when only the device node is known."""


def find_gpu(device: str, environment: Mapping[str, str] = os.environ) -> Gpu | None:
    """The GPU that ``device`` (``auto``, ``cpu`` or ``cuda:N``) means; None when none is there or none is wanted.

    An explicit ``cuda:N`` is returned even if nothing is known of it: its child will say what is wrong.
    """
    if device == "cpu":
        return None
    index = 0 if device == "auto" else int(device.removeprefix("cuda:"))
    wanted = None if device == "auto" else Gpu(f"cuda:{index}", f"GPU {index}", None)
    if not _CONTROL_NODE.exists():
        return wanted
    return _from_nvml(index, environment.get("CUDA_VISIBLE_DEVICES")) or wanted


def _from_nvml(index: int, visible: str | None) -> Gpu | None:
    try:
        import pynvml

        pynvml.nvmlInit()
    except Exception:  # no library, no driver, or one that doesn't match
        return None
    try:
        handle = _handle(pynvml, index, visible)
        if handle is None:
            return None
        name = pynvml.nvmlDeviceGetName(handle)
        major, minor = pynvml.nvmlDeviceGetCudaComputeCapability(handle)
    except pynvml.NVMLError:
        return None
    finally:
        pynvml.nvmlShutdown()
    return Gpu(f"cuda:{index}", short_name(name if isinstance(name, str) else name.decode()), f"sm_{major}{minor}")


def _handle(pynvml: Any, index: int, visible: str | None) -> Any:
    """NVML counts all GPUs, CUDA only the visible ones."""
    if visible is None:
        return pynvml.nvmlDeviceGetHandleByIndex(index) if index < pynvml.nvmlDeviceGetCount() else None
    names = [name.strip() for name in visible.split(",") if name.strip()]
    if index >= len(names) or names[index] == "-1":
        return None
    if names[index].isdigit():
        return pynvml.nvmlDeviceGetHandleByIndex(int(names[index]))
    return pynvml.nvmlDeviceGetHandleByUUID(names[index])


def short_name(name: str) -> str:
    """``NVIDIA GeForce RTX 4090`` → ``RTX 4090``."""
    for word in ("NVIDIA ", "GeForce ", "Tesla "):
        name = name.removeprefix(word)
    return name
