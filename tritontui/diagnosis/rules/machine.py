"""Rules for what the machine, the driver or a lost process says."""

from __future__ import annotations

import re

from tritontui.diagnosis.finding import Finding
from tritontui.diagnosis.scene import Rule, Scene, simple

_UNITS = {"bytes": 1, "B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}


def _out_of_memory(scene: Scene, match: re.Match[str]) -> Finding:
    amount, unit = match.groupdict().get("amount"), match.groupdict().get("unit")
    free = re.search(r"of which (?P<amount>[\d.]+) (?P<unit>[KMGT]iB) is free", match.string)
    return scene.finding(
        "out-of-memory",
        requested=_bytes(amount, unit) if amount and unit else 0,
        free=_bytes(free["amount"], free["unit"]) if free else 0,
        total=0,
        device=str(scene.context.get("device") or ("cuda" if "CUDA" in match.string else "cpu")),
    )


def _bytes(amount: str, unit: str) -> int:
    return int(float(amount) * _UNITS[unit])


RULES = (
    Rule(r"illegal memory access", simple("gpu-fault", fault="illegal-address")),
    Rule(r"CUDA.*misaligned address|misaligned address.*CUDA", simple("gpu-fault", fault="misaligned-address")),
    Rule(r"device-side assert", simple("gpu-fault", fault="device-assert")),
    Rule(r"launch timed out", simple("gpu-fault", fault="launch-timeout")),
    Rule(r"unspecified launch failure|CUDA error: .*(?:ECC|hardware)", simple("gpu-fault", fault="other")),
    Rule(r"out of memory\. Tried to allocate (?P<amount>[\d.]+) (?P<unit>[KMGT]iB)", _out_of_memory),
    Rule(r"tried to allocate (?P<amount>\d+) (?P<unit>bytes)", _out_of_memory),
    Rule(r"", _out_of_memory, kinds=("MemoryError", "OutOfMemoryError")),
    Rule(
        r"\d+ active drivers|Torch not compiled with CUDA enabled|No CUDA GPUs are available|Found no NVIDIA driver",
        simple("no-gpu"),
    ),
    Rule(r"Failed to find C compiler", simple("no-c-compiler")),
)
