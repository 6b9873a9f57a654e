"""What a binary asks of the GPU, read from the binary or from its assembly."""

from __future__ import annotations

import re
import subprocess
import tempfile
from dataclasses import dataclass

from triton import knobs

_USAGE = re.compile(r"REG:(\d+)\s+STACK:(\d+)")
_AMD_USAGE = re.compile(r"^; (TotalNumVgprs|ScratchSize): (\d+)$", re.MULTILINE)


@dataclass(frozen=True)
class Resources:
    """What a binary asks of the GPU. Bytes per thread for ``stack``."""

    registers: int
    stack: int


def cubin_resources(cubin: bytes) -> Resources | None:
    """Registers and stack as ``cuobjdump -res-usage`` reads them from the binary; None when the tool is missing."""
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        try:
            command = [knobs.nvidia.cuobjdump.path, "-res-usage", file.name]
            output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        except (OSError, RuntimeError, subprocess.CalledProcessError):
            return None
    match = _USAGE.search(output)
    return Resources(int(match[1]), int(match[2])) if match else None


def amd_resources(assembly: str) -> Resources | None:
    """Vector registers (accumulators among them) and scratch bytes, from the comments LLVM writes under the code."""
    found = {match[1]: int(match[2]) for match in _AMD_USAGE.finditer(assembly)}
    return Resources(found["TotalNumVgprs"], found["ScratchSize"]) if len(found) == 2 else None
