"""Loads, stores, masks, atomics and pointers."""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from cases import Registry, randint, randn

FEATURES = Registry()


@triton.jit
def masks(x, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + i, tl.load(x + i, mask=i < n, other=-7.0) + tl.load(x + n - 1), mask=i < n + 3)
    s = tl.program_id(0)
    tl.store(o + 96 + s, tl.load(x + s, mask=s > 1, other=5.0), mask=s != 2)


@FEATURES.add()
def masked_accesses():
    out = torch.zeros(100)
    masks[(4,)](randn(50), out, 50, B=16)
    return [out]


@triton.jit
def booleans(x, o, B: tl.constexpr):
    i = tl.arange(0, B)
    m = tl.load(x + i)
    tl.store(o + i, ~m)
    tl.store(o + B + i, m & (i < 5))


@FEATURES.add()
def bool_tensors():
    out = torch.zeros(2, 16, dtype=torch.bool)
    booleans[(1,)](randint(0, 2, 16, dtype=torch.bool), out, B=16)
    return [out]


@triton.jit
def atomics(x, index, count, total, low, high, last, old, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i)
    k = tl.load(index + i)
    tl.store(old + i, tl.atomic_add(count + k, 1))
    tl.atomic_add(total + k, v, mask=v > 0)
    tl.atomic_min(low + k, k * 3 - i)
    tl.atomic_max(high + i * 0, i)
    tl.atomic_xchg(last, tl.program_id(0))


@FEATURES.add(rtol=1e-5, atol=1e-5)
def atomics_of_all_kinds():
    zeros = [torch.zeros(8, dtype=torch.int32) for _ in range(4)]
    old, total = torch.zeros(64, dtype=torch.int32), torch.zeros(8)
    count, low, high, last = zeros
    atomics[(4,)](randn(64), randint(0, 8, 64), count, total, low, high, last, old, B=16)
    return [count, total, low, high, last, old]


@triton.jit
def float_extremes(x, o, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.atomic_max(o + i % 4, tl.load(x + i))
    tl.atomic_min(o + 4 + i % 4, tl.load(x + i))


@FEATURES.add()
def atomic_float_max():
    out = torch.zeros(8)
    float_extremes[(4,)](randn(64), out, B=16)
    return [out]


@triton.jit
def compare_and_swap(o, old):
    p = tl.program_id(0)
    tl.store(old + p, tl.atomic_cas(o, p, p + 1))


@FEATURES.add()
def atomic_cas():
    out, old = torch.zeros(1, dtype=torch.int32), torch.zeros(8, dtype=torch.int32)
    compare_and_swap[(8,)](out, old)
    return [out, old]


@triton.jit
def either_pointer(x, y, o, B: tl.constexpr):
    p = tl.program_id(0)
    i = tl.arange(0, B)
    source = x if p % 2 == 0 else y
    chosen = tl.where(i < B // 2, x + i, y + i)
    tl.store(o + p * B + i, tl.load(source + i) + tl.load(chosen))


@FEATURES.add()
def pointers_that_mix_tensors():
    out = torch.zeros(4, 16)
    either_pointer[(4,)](randn(16), randn(16, seed=1), out, B=16)
    return [out]


@triton.jit
def bytes_of(x, o, N: tl.constexpr):
    i = tl.arange(0, N)
    as_bytes = x.to(tl.pointer_type(tl.uint8))
    tl.store(o + i, tl.load(as_bytes + i))


@FEATURES.add()
def pointer_casts():
    out = torch.zeros(64, dtype=torch.uint8)
    bytes_of[(1,)](randn(16), out, N=64)
    return [out]


@triton.jit
def bitwise_atomics(o, total, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.atomic_and(o + i, i)
    tl.atomic_or(o + i, 8)
    tl.atomic_xor(o + i, i * 3, sem="relaxed", scope="cta")
    before = tl.atomic_add(total, 1.5)
    tl.atomic_add(total + 1, before, mask=tl.program_id(0) > 0)


@FEATURES.add()
def atomic_bits_and_scalars():
    out, total = torch.full((16,), 7, dtype=torch.int32), torch.zeros(2)
    bitwise_atomics[(3,)](out, total, N=16)
    return [out, total]


@triton.jit
def small_atomics(h, b, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.atomic_add(h + i % 4, (i * 0.5).to(tl.float16))
    tl.atomic_add(b + i % 4, (i * 0.5).to(tl.bfloat16))


@FEATURES.add(
    wrong_oracle="has no atomics of 16 bits",
    expected=lambda: [torch.tensor([36.0, 42, 48, 54]).to(dtype) for dtype in (torch.float16, torch.bfloat16)],
)
def atomic_add_in_16_bits():
    half, brain = torch.zeros(4, dtype=torch.float16), torch.zeros(4, dtype=torch.bfloat16)
    small_atomics[(3,)](half, brain, N=16)
    return [half, brain]


@triton.jit
def polled(flag, out):
    if tl.program_id(0) == 1:
        found = tl.atomic_poll(flag, 1)
        tl.store(out, tl.where(found, tl.load(flag + 1), -1))
    else:
        tl.store(flag + 1, 42)
        tl.atomic_xchg(flag, 1)


@FEATURES.add(needs="atomic_poll")
def atomic_poll():
    flag, out = torch.zeros(2, dtype=torch.int32), torch.zeros(1, dtype=torch.int32)
    polled[(2,)](flag, out)
    return [flag, out]


@triton.jit
def ordered_accesses(o, flags):
    p = tl.program_id(0)
    tl.atomic_store(flags + p, p + 1, sem="release")
    tl.store(o + p, tl.atomic_load(flags + p, sem="acquire"))


@FEATURES.add(needs="atomic_load")
def atomic_load_and_store():
    out, flags = torch.zeros(4, dtype=torch.int32), torch.zeros(4, dtype=torch.int32)
    ordered_accesses[(4,)](out, flags)
    return [out, flags]


@triton.jit
def walking(x, o, N: tl.constexpr):
    i = tl.arange(0, N)
    source = x + i
    target = o + i
    for _ in range(3):
        tl.store(target, tl.load(source))
        source += N
        target += N
    tl.store(o + 3 * N, (x + N - 1).to(tl.int64) == (x + N).to(tl.int64) - 4)


@FEATURES.add()
def pointers_carried_and_as_numbers():
    out = torch.zeros(64)
    walking[(1,)](randn(48), out, N=16)
    return [out]
