"""What is compiled for: a named architecture, put before Triton as its driver, with or without that GPU."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch

from tritontui.engine.targets import TARGETS
from tritontui.runner.compiler.occupancy import KIB, MULTIPROCESSORS, THREADS_PER_BLOCK, WARP, WAVE
from tritontui.runner.compiler.resources import cubin_resources
from tritontui.runner.triton_compat import GPUTarget, driver

AMD_SHARED_BYTES = 64 * KIB
"""Local data share of a compute unit, where there is no table for it."""

MULTIPROCESSOR_COUNTS: dict[int | str, int] = {80: 108, 86: 84, 89: 128, 90: 132, 100: 148, "gfx942": 304}
"""Of the largest card sold in each architecture (A100, RTX 3090 Ti, RTX 4090, H100 SXM, B200, MI300X): kernels that
size their grid by it get a plausible number."""


def gpu_target(name: str) -> GPUTarget:
    """``sm_90`` or ``gfx942`` as Triton's own type. Raises ValueError for anything else."""
    if match := re.fullmatch(r"sm_?(\d{2,3})a?", name):
        return GPUTarget("cuda", int(match[1]), WARP)
    if re.fullmatch(r"gfx[0-9a-f]+", name):
        return GPUTarget("hip", name, WAVE)
    raise ValueError(f"{name}: not a target such as {', '.join(TARGETS)}")


def shared_limit(name: str) -> int | None:
    """Most bytes of shared memory that one block may have; None when there is no table for the target."""
    target = gpu_target(name)
    sm = MULTIPROCESSORS.get(target.arch)
    if sm is None:
        return AMD_SHARED_BYTES if target.backend == "hip" else None
    return sm.shared_per_block


@dataclass(frozen=True)
class TargetDriver:
    """Answers what Triton asks its driver while it specialises and compiles; it can't launch."""

    name: str

    def get_current_target(self) -> GPUTarget:
        return gpu_target(self.name)

    def get_current_device(self) -> str:
        """Triton keeps a kernel's binder by device: the target's name keeps targets, and real GPUs, apart."""
        return self.name

    def get_current_stream(self, device: object) -> int:  # noqa: ARG002
        return 0

    def get_active_torch_device(self) -> torch.device:
        """What host code is told where it asks for the GPU; ``cuda_on_cpu`` puts its tensors into main memory."""
        return torch.device("cuda", 0)

    def get_device_interface(self) -> Any:
        return torch.cpu

    def get_benchmarker(self) -> Callable[..., list[float]]:
        """Runs a config once and calls all equal: without a GPU there is no time to compare."""

        def run_once(call: Callable[[], Any], quantiles: Sequence[float] = (0.5,), **_: Any) -> list[float]:
            call()
            return [1.0] * len(quantiles)

        return run_once

    def launcher_cls(self, source: object, metadata: object) -> Callable[..., Any]:  # noqa: ARG002
        """What would launch a compiled kernel on a GPU."""
        return _no_launch

    @property
    def utils(self) -> TargetProperties:
        return TargetProperties(self.name)


@dataclass(frozen=True)
class TargetProperties:
    """The part of a driver's ``utils`` that needs no GPU."""

    name: str

    def get_device_properties(self, device: object) -> dict[str, int]:  # noqa: ARG002
        arch = gpu_target(self.name).arch
        return {
            "max_shared_mem": shared_limit(self.name) or 0,
            "max_num_regs": 65536,
            "multiprocessor_count": MULTIPROCESSOR_COUNTS.get(arch, 132),
            "warpSize": gpu_target(self.name).warp_size,
        }

    def load_binary(
        self,
        name: str,
        binary: bytes,
        shared: int,  # noqa: ARG002
        device: object,  # noqa: ARG002
    ) -> tuple[None, None, int, int, int]:
        """Module and function, which there are none of; registers, spilled registers, and the most threads a block.

        Host code sizes its grid by them. Raises RuntimeError where the binary can't be read.
        """
        resources = cubin_resources(binary) if gpu_target(self.name).backend == "cuda" else None
        if resources is None:
            raise RuntimeError(f"nothing here can read the registers of {name}")
        return None, None, resources.registers, resources.stack // 4, THREADS_PER_BLOCK


def _no_launch(*_: Any, **__: Any) -> None:
    raise RuntimeError("a compiled kernel can be launched only where there is a GPU, or while launches are traced")


@contextmanager
def compiling_for(name: str) -> Iterator[TargetDriver]:
    """Make ``name`` Triton's current target; afterwards the driver that was there before, or none again."""
    try:
        previous = driver.active
    except RuntimeError:  # no GPU: Triton has no driver, looks for one at each use, and shall go on doing so
        previous = None
    target = TargetDriver(name)
    driver.set_active(target)
    try:
        yield target
    finally:
        driver.set_active(previous)
