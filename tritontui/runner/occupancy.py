"""How many warps of a kernel one multiprocessor can hold at once, by the tables NVIDIA publishes per architecture.

Source of the limits: CUDA C++ Programming Guide, "Compute Capabilities", technical specifications per compute
capability. Source of the allocation units (registers by 256 a warp, shared memory by 128 bytes after 1 KiB that the
system keeps per block, warps by four): NVIDIA's CUDA occupancy calculator (``cuda_occupancy.h``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

WARP = 32
REGISTERS_PER_THREAD = 255
THREADS_PER_BLOCK = 1024
"""On NVIDIA and AMD alike."""
REGISTER_UNIT = 256
"""Registers are handed to a warp in multiples of this."""
WARP_UNIT = 4
"""Four schedulers a multiprocessor: the warps that registers allow are rounded down to a multiple of this."""
SHARED_UNIT = 128
SHARED_RESERVED = 1024
"""Bytes of shared memory a block that the system keeps for itself, from compute capability 8.0 on."""
KIB = 1024


@dataclass(frozen=True)
class Multiprocessor:
    """What one multiprocessor can hold."""

    warps: int
    blocks: int
    shared_bytes: int
    shared_per_block: int
    """Most that one block may ask for (opt-in)."""
    registers: int = 65536


MULTIPROCESSORS: Mapping[int, Multiprocessor] = {
    80: Multiprocessor(64, 32, 164 * KIB, 163 * KIB),
    86: Multiprocessor(48, 16, 100 * KIB, 99 * KIB),
    87: Multiprocessor(48, 16, 164 * KIB, 163 * KIB),
    89: Multiprocessor(48, 24, 100 * KIB, 99 * KIB),
    90: Multiprocessor(64, 32, 228 * KIB, 227 * KIB),
    100: Multiprocessor(64, 32, 228 * KIB, 227 * KIB),
    103: Multiprocessor(64, 32, 228 * KIB, 227 * KIB),
    120: Multiprocessor(48, 24, 100 * KIB, 99 * KIB),
    121: Multiprocessor(48, 24, 100 * KIB, 99 * KIB),
}
"""By compute capability × 10, as Triton writes architectures."""


@dataclass(frozen=True)
class Occupancy:
    """``fraction`` of the multiprocessor's warps, and what keeps it from being larger."""

    fraction: float
    blocks: int
    limit: str
    """``registers``, ``shared memory``, ``warps`` or ``blocks``."""


def occupancy(arch: int, registers: int, shared_bytes: int, num_warps: int) -> Occupancy | None:
    """Theoretical occupancy of a kernel; None for an architecture without a table.

    ``registers`` per thread and ``shared_bytes`` per block as the compiler reports them (without the system's 1 KiB).
    """
    sm = MULTIPROCESSORS.get(arch)
    if sm is None:
        return None
    limits = {
        "warps": sm.warps // num_warps,
        "blocks": sm.blocks,
        "registers": _blocks_by_registers(sm, registers, num_warps),
        "shared memory": sm.shared_bytes // _round_up(shared_bytes + SHARED_RESERVED, SHARED_UNIT),
    }
    limit = min(limits, key=lambda name: limits[name])
    blocks = limits[limit]
    return Occupancy(blocks * num_warps / sm.warps, blocks, limit)


def _blocks_by_registers(sm: Multiprocessor, registers: int, num_warps: int) -> int:
    if registers == 0:
        return sm.blocks
    per_warp = _round_up(registers * WARP, REGISTER_UNIT)
    warps = sm.registers // per_warp // WARP_UNIT * WARP_UNIT
    return warps // num_warps


def _round_up(value: int, unit: int) -> int:
    return -(-value // unit) * unit
