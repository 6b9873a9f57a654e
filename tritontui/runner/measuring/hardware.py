"""Facts about a GPU, behind one interface: torch for what every backend knows, NVML for what only NVIDIA tells."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import pynvml
import torch

from tritontui.engine.messages import GpuInfo
from tritontui.runner.measuring.roofs import Roofs, roofs

BITS_PER_BYTE = 8
TRANSFERS_PER_CLOCK = 2
"""NVML reports the memory clock; data moves on both of its edges."""

THROTTLE_REASONS = {
    0x8: "hardware",
    0x20: "thermal",
    0x40: "thermal",
    0x80: "power-brake",
}
"""Bits of nvmlDeviceGetCurrentClocksEventReasons that make a figure wrong: HW slowdown, SW and HW thermal slowdown, HW
power brake (nvml.h)."""
POWER_CAP = 0x4
"""The software power cap isn't among them: a healthy matrix product runs into it."""


class Sensors(Protocol):
    """What is asked of a GPU while it is measured."""

    def identity(self) -> str:
        """Stays the same for this very card and its driver."""
        ...

    def lock_path(self) -> Path | None:
        """A file that everybody who uses this GPU can open: its device node. None: nothing to hold."""
        ...

    def throttled(self) -> set[str]:
        """Reasons, of the moment, why the clocks are below what the card can do."""
        ...

    def power_capped(self) -> bool:
        """Whether the clocks are, at the moment, what the card's power limit allows."""
        ...

    def busy_processes(self, since: float) -> set[int]:
        """Ids of processes whose kernels ran after ``since`` (seconds since the epoch), this one among them."""
        ...


@dataclass(frozen=True)
class NvidiaSensors:
    """Through NVML."""

    handle: Any

    def identity(self) -> str:
        return f"{_text(pynvml.nvmlDeviceGetUUID(self.handle))} {_text(pynvml.nvmlSystemGetDriverVersion())}"

    def lock_path(self) -> Path | None:
        try:
            path = Path(f"/dev/nvidia{pynvml.nvmlDeviceGetMinorNumber(self.handle)}")
        except pynvml.NVMLError:
            return None
        return path if path.exists() else None

    def throttled(self) -> set[str]:
        bits = self._reasons()
        return {name for bit, name in THROTTLE_REASONS.items() if bits & bit}

    def power_capped(self) -> bool:
        return bool(self._reasons() & POWER_CAP)

    def _reasons(self) -> int:
        """0 where NVML doesn't tell."""
        try:
            return int(pynvml.nvmlDeviceGetCurrentClocksThrottleReasons(self.handle))
        except pynvml.NVMLError:
            return 0

    def busy_processes(self, since: float) -> set[int]:
        """An open context alone keeps nobody waiting: only processes whose kernels ran count."""
        try:
            samples = pynvml.nvmlDeviceGetProcessUtilization(self.handle, int(since * 1e6))
        except pynvml.NVMLError:
            return set()
        return {sample.pid for sample in samples if sample.smUtil > 0 and sample.timeStamp > since * 1e6}


@dataclass(frozen=True)
class NoSensors:
    """A GPU of which only torch knows: AMD, or NVIDIA without NVML."""

    index: int

    def identity(self) -> str:
        return f"{torch.cuda.get_device_name(self.index)} {torch.version.cuda or torch.version.hip}"

    def lock_path(self) -> Path | None:
        return None

    def throttled(self) -> set[str]:
        return set()

    def power_capped(self) -> bool:
        return False

    def busy_processes(self, since: float) -> set[int]:  # noqa: ARG002
        return set()


def others(busy: set[int]) -> int:
    """How many of these processes aren't this one, which a container may know under another number than NVML."""
    return len(busy - {os.getpid()}) if os.getpid() in busy else max(0, len(busy) - 1)


def sensors(device: str) -> Sensors:
    """The sensors of ``cuda:N`` (torch's numbering, which CUDA_VISIBLE_DEVICES shifts)."""
    index = torch.device(device).index or 0
    handle = _nvml_handle(index)
    return NoSensors(index) if handle is None else NvidiaSensors(handle)


def gpu_count() -> int:
    """NVIDIA GPUs in this machine, whether or not this process may use them."""
    try:
        pynvml.nvmlInit()
        return int(pynvml.nvmlDeviceGetCount())
    except pynvml.NVMLError:
        return 0


def driver_version() -> str | None:
    """Of NVIDIA's driver; None without NVML."""
    try:
        pynvml.nvmlInit()
        return _text(pynvml.nvmlSystemGetDriverVersion())
    except pynvml.NVMLError:
        return None


def gpu_info(device: str) -> GpuInfo:
    """What kind of GPU ``cuda:N`` is. Raises whatever torch raises when it can't be used."""
    index = torch.device(device).index or 0
    torch.cuda.set_device(index)
    properties = torch.cuda.get_device_properties(index)
    handle = _nvml_handle(index)
    most = _roofs(handle, _capability(properties), properties.multi_processor_count)
    return GpuInfo(
        index=index,
        name=properties.name,
        capability=_capability(properties),
        memory_bytes=properties.total_memory,
        l2_bytes=int(getattr(properties, "L2_cache_size", 0)),
        sm_count=properties.multi_processor_count,
        peak_gbps=_peak_gbps(handle),
        peak_fp32_tflops=most.fp32 if most else None,
        peak_tensor_tflops=most.tensor if most else None,
    )


def _capability(properties: Any) -> str:
    if torch.version.hip:
        return str(properties.gcnArchName).partition(":")[0]
    return f"sm_{properties.major}{properties.minor}"


def _peak_gbps(handle: Any) -> float | None:
    """Memory clock × bus width × 2: the data sheet's bandwidth, GB/s."""
    if handle is None:
        return None
    try:
        megahertz = pynvml.nvmlDeviceGetMaxClockInfo(handle, pynvml.NVML_CLOCK_MEM)
        bits = pynvml.nvmlDeviceGetMemoryBusWidth(handle)
    except pynvml.NVMLError:
        return None
    return float(megahertz * 1e6 * bits * TRANSFERS_PER_CLOCK / BITS_PER_BYTE / 1e9)


def _roofs(handle: Any, capability: str, multiprocessors: int) -> Roofs | None:
    """At the multiprocessors' highest clock."""
    if handle is None:
        return None
    try:
        megahertz = pynvml.nvmlDeviceGetMaxClockInfo(handle, pynvml.NVML_CLOCK_SM)
    except pynvml.NVMLError:
        return None
    return roofs(capability, multiprocessors, megahertz)


def _nvml_handle(index: int) -> Any:
    """NVML's handle of torch's GPU ``index``, matched by UUID; None without NVML, or in a MIG slice."""
    try:
        pynvml.nvmlInit()
        return pynvml.nvmlDeviceGetHandleByUUID(f"GPU-{torch.cuda.get_device_properties(index).uuid}")
    except (pynvml.NVMLError, AttributeError):
        return None


def _text(value: str | bytes) -> str:
    return value.decode() if isinstance(value, bytes) else value
