"""Occupancy against figures worked out by hand from NVIDIA's tables."""

from __future__ import annotations

import pytest

from tritontui.runner.compiler.occupancy import KIB, occupancy


@pytest.mark.parametrize(
    ("arch", "registers", "shared", "num_warps", "fraction", "limit"),
    [
        (90, 32, 0, 4, 1.0, "warps"),  # 64 warps / 4 = 16 blocks; 64 Ki / (32·32) = 64 warps
        (90, 64, 0, 4, 0.5, "registers"),  # 64 Ki / 2,048 = 32 warps of 64
        (90, 255, 0, 4, 8 / 64, "registers"),  # 255 is rounded up to 256: 64 Ki / 8,192 = 8 warps
        (90, 33, 0, 4, 48 / 64, "registers"),  # 33·32 = 1,056 becomes 1,280: 51 warps, 48 by fours, 12 blocks
        (90, 32, 64 * KIB, 4, 12 / 64, "shared memory"),  # 228 / 65 = 3 blocks of 4 warps
        (90, 32, 0, 1, 0.5, "blocks"),  # 32 blocks of one warp
        (86, 32, 0, 4, 1.0, "warps"),
        (86, 32, 0, 1, 16 / 48, "blocks"),
        (89, 32, 48 * KIB, 8, 16 / 48, "shared memory"),  # 100 / 49 = 2 blocks
        (80, 128, 96 * KIB, 8, 8 / 64, "shared memory"),
        ("gfx942", 64, 0, 4, 1.0, "warps"),  # 512 / 64 = 8 waves a SIMD
        ("gfx942", 128, 0, 4, 0.5, "registers"),
        ("gfx942", 97, 0, 4, 16 / 32, "registers"),  # 97 becomes 104: 4 waves a SIMD
        ("gfx942", 32, 33 * KIB, 4, 4 / 32, "shared memory"),
    ],
)
def test_by_hand(arch, registers, shared, num_warps, fraction, limit):
    found = occupancy(arch, registers, shared, num_warps)
    assert (found.fraction, found.limit) == (fraction, limit)


def test_no_table_no_figure():
    assert occupancy(70, 32, 0, 4) is None
