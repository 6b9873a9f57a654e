"""What works on this machine, check by check: the facts behind ``tritontui doctor``."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sysconfig
from collections.abc import Callable, Iterator
from importlib.metadata import requires
from pathlib import Path
from typing import Any

import numpy
import torch
import triton
from triton import knobs

from tritontui.engine.messages import Check
from tritontui.engine.targets import DEFAULT_TARGET
from tritontui.runner.compiler.compile import Compiler, Launch, Rejection
from tritontui.runner.compiler.kernel_cache import try_writing, wanted_cache
from tritontui.runner.compiler.target import compiling_for
from tritontui.runner.measuring.hardware import gpu_count, gpu_info, sensors
from tritontui.runner.measuring.kernels import copy_kernel

BLOCK = 1024

OLDEST = {"python": (3, 10), "torch": (2, 8), "triton": (3, 4), "numpy": (1, 26)}
"""As in pyproject.toml."""


def probe(device: str) -> list[Check]:
    """Try what a runner child on ``device`` (``cpu`` or ``cuda:N``) needs; never raises.

    A check's ``params`` always hold what its remedy names: ``needed``, ``path``, ``reason``…
    """
    shared: list[tuple[str, Callable[[], Check]]] = [
        ("python", lambda: _version("python", platform.python_version())),
        ("torch", lambda: _version("torch", str(torch.__version__))),
        ("triton", lambda: _version("triton", triton.__version__)),
        ("numpy", lambda: _version("numpy", numpy.__version__)),
        ("torch-triton", _torch_and_triton),
        ("torch-gpu", _torch_and_gpu),
        ("compiler", _compiler),
        ("cuobjdump", lambda: _tool("cuobjdump", lambda: knobs.nvidia.cuobjdump.path)),
        ("nvdisasm", lambda: _tool("nvdisasm", lambda: knobs.nvidia.nvdisasm.path)),
        ("cache", _cache),
        ("interpret-variable", _interpret_variable),
    ]
    on_gpu: list[tuple[str, Callable[[], Check]]] = [
        ("gpu", lambda: _gpu(device)),
        ("gpu-sensors", lambda: _sensors(device)),
        ("c-compiler", _c_compiler),
        ("python-headers", _python_headers),
        ("gpu-launch", lambda: _launch(device)),
    ]
    return list(_tried(shared if device == "cpu" else on_gpu))


def _tried(checks: list[tuple[str, Callable[[], Check]]]) -> Iterator[Check]:
    for identifier, check in checks:
        try:
            yield check()
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
            yield Check(id=identifier, ok=False, detail=reason, params={"reason": reason})


def _version(name: str, found: str) -> Check:
    oldest = OLDEST[name]
    numbers = tuple(int(part) for part in found.split("+")[0].split(".")[:2])
    needed = ".".join(map(str, oldest))
    return Check(id=name, ok=numbers >= oldest, detail=found, params={"found": found, "needed": needed})


def _torch_and_triton() -> Check:
    """PyTorch's wheel names the Triton it was tested with; its CPU wheel names none."""
    pins = [line for line in requires("torch") or [] if line.startswith("triton")]
    pin = next((match[1] for line in pins if (match := re.search(r"==\s*([\d.]+)", line))), "")
    ok = not pin or triton.__version__.startswith(pin)
    params = {"found": triton.__version__, "needed": pin}
    return Check(id="torch-triton", ok=ok, detail=f"torch asks for {pin or 'no particular version'}", params=params)


def _torch_and_gpu() -> Check:
    """A GPU in the machine is of no use to a PyTorch built without CUDA."""
    count = gpu_count()
    ok = count == 0 or torch.version.cuda is not None
    detail = f"{count} NVIDIA GPU, CUDA {torch.version.cuda or '-'}"
    return Check(id="torch-gpu", ok=ok, detail=detail, params={"gpus": count})


def _compiler() -> Check:
    """Compiles a kernel for the default target, the way every submission is compiled."""
    with compiling_for(DEFAULT_TARGET):
        memory = torch.empty(BLOCK)
        arguments = {"source_ptr": memory, "target_ptr": memory, "n": BLOCK, "block": BLOCK}
        built = Compiler().build(Launch(copy_kernel, arguments, {}), DEFAULT_TARGET)
    if isinstance(built, Rejection):
        raise built.error
    return Check(id="compiler", ok=True, detail=f"{DEFAULT_TARGET}, {built.seconds * 1e3:.0f} ms", params={})


def _tool(name: str, path: Callable[[], str]) -> Check:
    """One of NVIDIA's tools that Triton's wheel carries."""
    found = path()
    subprocess.run([found, "--version"], capture_output=True, check=True)
    return Check(id=name, ok=True, detail=found, params={"path": found})


def _cache() -> Check:
    """Triton keeps compiled kernels in a folder; without one every run compiles anew."""
    folder = wanted_cache()
    params = {"path": str(folder)}
    try:
        try_writing(folder)
    except OSError as error:
        reason = error.strerror or str(error)
        return Check(id="cache", ok=False, detail=f"{folder}: {reason}", params={**params, "reason": reason})
    return Check(id="cache", ok=True, detail=str(folder), params=params)


def _interpret_variable() -> Check:
    """With TRITON_INTERPRET set, Triton can't compile; the runners start without it, scripts of one's own may not."""
    value = os.environ.get("TRITON_INTERPRET", "")
    ok = value in ("", "0")
    return Check(id="interpret-variable", ok=ok, detail=value or "not set", params={"value": value})


def _gpu(device: str) -> Check:
    info = gpu_info(device)
    size = info.memory_bytes / 2**30
    params: dict[str, Any] = {"name": info.name, "target": info.capability, "gib": round(size)}
    return Check(id="gpu", ok=True, detail=f"{info.name}, {info.capability}, {size:.0f} GiB", params=params)


def _sensors(device: str) -> Check:
    """NVML: clocks, throttling, other processes, and the device node by which measurements wait for each other."""
    found = sensors(device)
    node = found.lock_path()
    detail = f"{found.identity()}, {node}" if node else found.identity()
    return Check(id="gpu-sensors", ok=node is not None, detail=detail, params={"path": str(node or "")})


def _c_compiler() -> Check:
    """Triton builds its launcher with a C compiler, once per kernel signature."""
    names = [os.environ.get("CC", ""), "gcc", "clang", "cc"]
    found = next((path for name in names if name and (path := shutil.which(name))), None)
    return Check(id="c-compiler", ok=found is not None, detail=found or "none found", params={"path": found or ""})


def _python_headers() -> Check:
    """The launcher is an extension module."""
    header = Path(sysconfig.get_path("include")) / "Python.h"
    return Check(id="python-headers", ok=header.is_file(), detail=str(header), params={"path": str(header)})


def _launch(device: str) -> Check:
    """A kernel runs on the GPU and gives the right result."""
    source = torch.arange(BLOCK, dtype=torch.float32, device=device)
    target = torch.zeros_like(source)
    copy_kernel[(1,)](source, target, BLOCK, block=BLOCK)
    ok = bool(torch.equal(source, target))
    return Check(id="gpu-launch", ok=ok, detail="copy", params={"reason": "" if ok else "wrong result"})
