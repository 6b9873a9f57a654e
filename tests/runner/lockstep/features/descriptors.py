"""Tensor descriptors and block pointers."""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from cases import Registry, randn

FEATURES = Registry()
CLOSE = {"rtol": 1e-5, "atol": 1e-6}


@triton.jit
def described(x, o, m, n, BM: tl.constexpr, BN: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [m, n], [n, 1], [BM, BN])
    target = tl.make_tensor_descriptor(o, [m, n], [n, 1], [BM, BN])
    r = tl.program_id(0) * BM
    c = tl.program_id(1) * BN
    target.store([r, c], source.load([r, c]) * 2)


@FEATURES.add(oracle_since="3.6")
def device_made_descriptors():
    out = torch.zeros(20, 24)
    described[(3, 2)](randn(20, 24), out, 20, 24, BM=8, BN=16)
    return [out]


@triton.jit
def host_described(source, target, BM: tl.constexpr, BN: tl.constexpr):
    r = tl.program_id(0) * BM
    target.store([r, 0], source.load([r, 0]) + 1)


@FEATURES.add()
def host_made_descriptors():
    from triton.tools.tensor_descriptor import TensorDescriptor

    x, out = randn(20, 16), torch.zeros(20, 16)
    source, target = (TensorDescriptor.from_tensor(t, [8, 16]) for t in (x, out))
    host_described[(3,)](source, target, BM=8, BN=16)
    return [out]


@triton.jit
def gathered(x, o, rows_ptr, m, n, BN: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [m, n], [n, 1], [1, BN])
    target = tl.make_tensor_descriptor(o, [m, n], [n, 1], [1, BN])
    rows = tl.load(rows_ptr + tl.arange(0, 8))
    tile = source.gather(rows, 0)
    target.scatter(tile * 2, rows, 16)


@FEATURES.add()
def descriptor_gather_and_scatter():
    x, out = randn(20, 32), torch.zeros(20, 32)
    rows = torch.tensor([3, 1, 4, 15, 9, 2, 6, 19], dtype=torch.int32)
    gathered[(1,)](x, out, rows, 20, 32, BN=16)
    return [out]


@triton.jit
def accumulated(x, o, m, n, BM: tl.constexpr, BN: tl.constexpr):
    target = tl.make_tensor_descriptor(o, [m, n], [n, 1], [BM, BN])
    i = tl.arange(0, BM)[:, None] * BN + tl.arange(0, BN)[None, :]
    target.atomic_add([tl.program_id(0) * 4, 0], tl.load(x + i))


@FEATURES.add(
    wrong_oracle="has no descriptor_reduce",
    expected=lambda: [sum(torch.cat([torch.zeros(4 * p, 8), randn(8, 8), torch.zeros(20, 8)])[:20] for p in range(4))],
    **CLOSE,
)
def descriptor_atomic_add():
    out = torch.zeros(20, 8)
    accumulated[(4,)](randn(8, 8), out, 20, 8, BM=8, BN=8)
    return [out]


@triton.jit
def through_block_pointers(x, o, m, n, BM: tl.constexpr, BN: tl.constexpr):
    row = tl.program_id(0) * BM
    source = tl.make_block_ptr(x, (m, n), (n, 1), (row, 0), (BM, BN), (1, 0))
    target = tl.make_block_ptr(o, (m, n), (n, 1), (row, 0), (BM, BN), (1, 0))
    for _ in range(0, n, BN):
        tile = tl.load(source, boundary_check=(0, 1), padding_option="zero")
        if tl.program_id(0) == 1:
            tile = tile * 3
        tl.store(target, tile + 1, boundary_check=(0, 1))
        source = tl.advance(source, (0, BN))
        target = tl.advance(target, (0, BN))


def _expected_block_pointers():
    x = randn(20, 24)
    x[8:16] *= 3
    return [x + 1]


@FEATURES.add(
    needs="block pointers", wrong_oracle="is of a Triton that has no block pointers", expected=_expected_block_pointers
)
def block_pointers():
    out = torch.zeros(20, 24)
    through_block_pointers[(3,)](randn(20, 24), out, 20, 24, BM=8, BN=16)
    return [out]


@triton.jit
def described_in_three_axes(x, o, a, b, c, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    source = tl.make_tensor_descriptor(x, shape=[a, b, c], strides=[b * c, c, 1], block_shape=[A, B, C])
    target = tl.make_tensor_descriptor(o, shape=[a, b, c], strides=[b * c, c, 1], block_shape=[A, B, C])
    first = tl.program_id(0) * A
    for second in range(0, b, B):
        tile = tl.load_tensor_descriptor(source, [first, second, 0])
        tl.store_tensor_descriptor(target, [first, second, 0], tile + 1)


@FEATURES.add()
def descriptors_of_three_axes():
    out = torch.zeros(3, 5, 16)
    described_in_three_axes[(2,)](randn(3, 5, 16), out, 3, 5, 16, A=2, B=2, C=16)
    return [out]


@triton.jit
def padded(x, o, n, B: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [n], [1], [B], padding_option="nan")
    target = tl.make_tensor_descriptor(o, [n + 4], [1], [B])
    target.store([tl.program_id(0) * B], source.load([tl.program_id(0) * B]))


@FEATURES.add(needs="padding of descriptors")
def descriptors_that_pad_with_nan():
    out = torch.zeros(32)
    padded[(2,)](randn(28), out, 28, B=16)
    return [out]
