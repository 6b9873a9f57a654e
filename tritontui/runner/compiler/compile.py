"""The compiler as a judge: is this launch legal for the target, and what did it become?"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from triton import knobs
from triton.compiler import compile as triton_compile
from triton.runtime.errors import OutOfResources

from tritontui.engine.messages import AccessWidth, CompilerReport
from tritontui.runner.compiler.listings import access_widths, amd_widths, kernel_file
from tritontui.runner.compiler.occupancy import THREADS_PER_BLOCK, occupancy
from tritontui.runner.compiler.resources import Resources, amd_resources, cubin_resources
from tritontui.runner.compiler.target import gpu_target, shared_limit
from tritontui.runner.triton_compat import JITFunction, Specialisation, make_ttir, specialise


@dataclass(frozen=True)
class Launch:
    """A kernel with the arguments of one launch, constants included."""

    kernel: JITFunction
    arguments: Mapping[str, Any]
    options: Mapping[str, Any]
    line: int | None = None
    """Line of the launch in the learner's file."""
    grid: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Rejection:
    """The compiler (or the launcher before it) refused a launch."""

    error: Exception
    log: str
    """What the compiler's later passes printed: ``file:line:column: error: …``."""
    launch: Launch


Result = TypeVar("Result")

KEPT = 64
"""Pieces of code whose results are remembered: a run's own, and those of the edits just before it."""


@dataclass
class Compiler:
    """Compiles for one target at a time, the one Triton's driver stands for; each piece of code once."""

    _legal: dict[str, tuple[Exception | None, str]] = field(default_factory=dict)
    """By specialisation: what the compiler raised, if anything, and what it printed."""
    _built: dict[str, Built] = field(default_factory=dict)

    def check(self, launch: Launch) -> Rejection | None:
        """Front end and first passes for this launch's specialisation; None when it is legal."""
        with _output_taken() as log:
            try:
                specialisation = specialise(launch.kernel, launch.arguments, launch.options)
                key = specialisation.key  # reads the whole source: it may refer to what Triton can't take
            except Exception as error:
                return Rejection(error, log(), launch)
            if key not in self._legal:
                _keep(self._legal, key, (_attempt(specialisation), log()))
        refusal, printed = self._legal[key]
        return None if refusal is None else Rejection(refusal, printed, launch)

    def key(self, launch: Launch) -> str:
        """Equal for launches that share a binary, and for those of one kernel of which the compiler can't tell."""
        with _output_taken():
            try:
                return str(specialise(launch.kernel, launch.arguments, launch.options).key)
            except Exception:  # ``build`` says why
                return f"{id(launch.kernel)}"

    def build(self, launch: Launch, target: str) -> Built | Rejection:
        """Compile to the end: listings, resources and occupancy on ``target``. Raises OSError for the disk's faults."""
        with _output_taken() as log:
            try:
                specialisation = specialise(launch.kernel, launch.arguments, launch.options)
                if specialisation.key not in self._built:
                    _keep(self._built, specialisation.key, _build(specialisation, target))
                built = self._built[specialisation.key]
                _check_resources(built, target)
            except Exception as error:
                if isinstance(error, OSError) and error.errno is not None:
                    raise  # the machine's, such as a disk without room for the binary: no fault of the kernel
                return Rejection(error, log(), launch)
        return built


@dataclass(frozen=True)
class Built:
    """A compiled kernel: its listings by kind, and its binary."""

    name: str
    target: str
    listings: Mapping[str, str]
    binary: bytes
    shared_bytes: int
    num_warps: int
    num_stages: int
    resources: Resources | None
    seconds: float

    @property
    def spill_bytes(self) -> int | None:
        """Bytes of local memory a thread uses beyond what the kernel itself declares (as device_print does)."""
        if self.resources is None:
            return None
        declared = sum(int(size) for size in _LOCAL_DEPOT.findall(self.listings.get("ptx", "")))
        return max(0, self.resources.stack - declared)

    @property
    def file(self) -> str:
        """Name, without folders, of the file that its lines count in: where it was *first* compiled.

        Triton's cache doesn't ask for a file's name, so that may be another one with the same kernel on the same line.
        """
        return kernel_file(self.listings["ttir"])

    def report(self) -> CompilerReport:
        """As a message."""
        registers = self.resources.registers if self.resources else None
        arch = gpu_target(self.target).arch
        fit = None if registers is None else occupancy(arch, registers, self.shared_bytes, self.num_warps)
        return CompilerReport(
            kernel=self.name,
            target=self.target,
            registers=registers,
            spill_bytes=self.spill_bytes,
            shared_bytes=self.shared_bytes,
            num_warps=self.num_warps,
            num_stages=self.num_stages,
            occupancy=fit.fraction if fit else None,
            occupancy_limit=fit.limit if fit else None,
            widths=self._widths(),
            seconds=self.seconds,
            listings={
                **{kind: len(text.splitlines()) for kind, text in self.listings.items()},
                **({"sass": 0} if self.resources is not None and "ptx" in self.listings else {}),
            },
        )

    def _widths(self) -> list[AccessWidth]:
        if "ptx" in self.listings:
            return access_widths(self.listings["ptx"], self.file)
        return amd_widths(self.listings["amdgcn"], self.file) if "amdgcn" in self.listings else []


_LOCAL_DEPOT = re.compile(r"^\s*\.local\s+\.align\s+\d+\s+\.b8\s+\w+\[(\d+)\];", re.MULTILINE)


def _keep(results: dict[str, Result], key: str, result: Result) -> None:
    """Remember ``result``, and forget the oldest when there are too many."""
    results[key] = result
    if len(results) > KEPT:
        del results[next(iter(results))]


def _attempt(specialisation: Specialisation) -> Exception | None:
    try:
        make_ttir(specialisation)
    except Exception as error:
        return error
    return None


def _build(specialisation: Specialisation, target: str) -> Built:
    started = time.perf_counter()
    kernel = triton_compile(specialisation.source, target=specialisation.target, options=specialisation.options)
    seconds = time.perf_counter() - started
    texts = ("ttir", "ttgir", "llir", "ptx", "amdgcn")
    binary = next(kernel.asm[kind] for kind in ("cubin", "hsaco") if kind in kernel.asm)
    return Built(
        name=kernel.metadata.name,
        target=target,
        listings={kind: kernel.asm[kind] for kind in texts if kind in kernel.asm},
        binary=binary,
        shared_bytes=kernel.metadata.shared,
        num_warps=kernel.metadata.num_warps,
        num_stages=kernel.metadata.num_stages,
        resources=cubin_resources(binary) if "cubin" in kernel.asm else amd_resources(kernel.asm["amdgcn"]),
        seconds=seconds,
    )


def _check_resources(built: Built, target: str) -> None:
    """Raises what Triton's launcher raises when a program's threads or its shared memory can't fit."""
    threads = built.num_warps * gpu_target(target).warp_size
    if threads > THREADS_PER_BLOCK:
        raise OutOfResources(threads, THREADS_PER_BLOCK, "threads")
    limit = shared_limit(target)
    if limit is not None and built.shared_bytes > limit:
        raise OutOfResources(built.shared_bytes, limit, "shared memory")


@contextmanager
def _output_taken() -> Iterator[Callable[[], str]]:
    """Take what C++ prints meanwhile, MLIR's errors and the modules it dumps; gives a function that reads it."""
    with tempfile.TemporaryFile() as log:
        before = {descriptor: os.dup(descriptor) for descriptor in (1, 2)}
        for descriptor in before:
            os.dup2(log.fileno(), descriptor)

        def read() -> str:
            log.seek(0)
            return log.read().decode(errors="replace")

        try:
            yield read
        finally:
            for descriptor, original in before.items():
                os.dup2(original, descriptor)
                os.close(original)


def disassemble(built: Built) -> str:
    """SASS with its source marks. Raises OSError or CalledProcessError when ``nvdisasm`` can't do it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kernel.cubin"
        path.write_bytes(built.binary)
        command = [knobs.nvidia.nvdisasm.path, "-c", "-gi", str(path)]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout
