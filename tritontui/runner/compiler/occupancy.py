"""How many warps of a kernel one multiprocessor can hold at once, by the tables the makers publish per architecture.

NVIDIA. Limits: CUDA C++ Programming Guide, "Compute Capabilities", technical specifications per compute capability.
Allocation units (registers by 256 a warp, shared memory by 128 bytes after 1 KiB that the system keeps per block, warps
by four): NVIDIA's CUDA occupancy calculator (``cuda_occupancy.h``).

AMD. LLVM's AMDGPU backend (``AMDGPUBaseInfo.cpp``: getMaxWavesPerEU, getTotalNumVGPRs, getVGPRAllocGranule,
getMaxWorkGroupsPerCU) and its user guide: a compute unit has four SIMDs, each with 512 vector registers a lane for 8
waves of 64 lanes, handed out by eight; its local data share is handed out by 512 bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

WARP = 32
WAVE = 64
"""An AMD wavefront."""
THREADS_PER_BLOCK = 1024
"""On NVIDIA and AMD alike."""
KIB = 1024


@dataclass(frozen=True)
class Multiprocessor:
    """What one multiprocessor (an AMD compute unit) can hold, and in which portions it hands it out."""

    warps: int
    blocks: int
    shared_bytes: int
    shared_per_block: int
    """Most that one block may ask for (opt-in)."""
    registers: int = 65536
    threads_per_warp: int = WARP
    register_unit: int = 256
    """Registers are handed to a warp in multiples of this."""
    shared_unit: int = 128
    shared_reserved: int = 1024
    """Bytes of shared memory a block that the system keeps for itself: NVIDIA from compute capability 8.0 on."""
    schedulers: int = 4
    """The warps that registers allow are rounded down to a multiple of this."""


def _cdna(shared_bytes: int) -> Multiprocessor:
    return Multiprocessor(
        warps=32,
        blocks=32,
        shared_bytes=shared_bytes,
        shared_per_block=shared_bytes,
        registers=4 * 512 * WAVE,
        threads_per_warp=WAVE,
        register_unit=8 * WAVE,
        shared_unit=512,
        shared_reserved=0,
    )


MULTIPROCESSORS: Mapping[int | str, Multiprocessor] = {
    80: Multiprocessor(64, 32, 164 * KIB, 163 * KIB),
    86: Multiprocessor(48, 16, 100 * KIB, 99 * KIB),
    87: Multiprocessor(48, 16, 164 * KIB, 163 * KIB),
    89: Multiprocessor(48, 24, 100 * KIB, 99 * KIB),
    90: Multiprocessor(64, 32, 228 * KIB, 227 * KIB),
    100: Multiprocessor(64, 32, 228 * KIB, 227 * KIB),
    103: Multiprocessor(64, 32, 228 * KIB, 227 * KIB),
    120: Multiprocessor(48, 24, 100 * KIB, 99 * KIB),
    121: Multiprocessor(48, 24, 100 * KIB, 99 * KIB),
    "gfx90a": _cdna(64 * KIB),
    "gfx942": _cdna(64 * KIB),
}
"""By architecture as Triton writes it: compute capability × 10, or AMD's name."""


@dataclass(frozen=True)
class Occupancy:
    """``fraction`` of the multiprocessor's warps, and what keeps it from being larger."""

    fraction: float
    blocks: int
    limit: str
    """``registers``, ``shared memory``, ``warps`` or ``blocks``."""


def occupancy(arch: int | str, registers: int, shared_bytes: int, num_warps: int) -> Occupancy | None:
    """Theoretical occupancy of a kernel; None for an architecture without a table.

    ``registers`` per thread and ``shared_bytes`` per block as the compiler reports them (without the system's 1 KiB).
    """
    sm = MULTIPROCESSORS.get(arch)
    if sm is None:
        return None
    taken = _round_up(shared_bytes + sm.shared_reserved, sm.shared_unit)
    limits = {
        "warps": sm.warps // num_warps,
        "blocks": sm.blocks,
        "registers": _blocks_by_registers(sm, registers, num_warps),
        "shared memory": sm.shared_bytes // taken if taken else sm.blocks,
    }
    limit = min(limits, key=lambda name: limits[name])
    blocks = limits[limit]
    return Occupancy(blocks * num_warps / sm.warps, blocks, limit)


def _blocks_by_registers(sm: Multiprocessor, registers: int, num_warps: int) -> int:
    if registers == 0:
        return sm.blocks
    per_warp = _round_up(registers * sm.threads_per_warp, sm.register_unit)
    warps = sm.registers // per_warp // sm.schedulers * sm.schedulers
    return warps // num_warps


def _round_up(value: int, unit: int) -> int:
    return -(-value // unit) * unit
