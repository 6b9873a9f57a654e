# ruff: noqa: RET505, SIM300, B007 - kernels are written as learners write them
"""Control flow that depends on the program."""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from cases import Registry, randn

FEATURES = Registry()
CLOSE = {"rtol": 1e-5, "atol": 1e-6}


@triton.jit
def nested(x, o, n, B: tl.constexpr):
    p = tl.program_id(0)
    i = p * B + tl.arange(0, B)
    v = tl.load(x + i)
    if p % 3 == 0:
        v = v * 2
        if p % 2 == 0:
            v += 100.0
        w = v
    elif p % 3 == 1:
        w = -v
        for j in range(p):
            w += j
            if j > 2:
                w = w * 0.5
    else:
        k = p
        while k > 0:
            v = v + 1
            k -= 2
        w = v * v
    if p > n:
        return
    tl.store(o + i, w)


@FEATURES.add(**CLOSE)
def nested_divergence():
    out = torch.zeros(12, 8)
    nested[(12,)](randn(12, 8), out, 9, B=8)
    return [out]


@triton.jit
def classify(v):
    if v < 3:
        return v * 2
    elif v < 6:
        return v + 100
    return v * v


@triton.jit
def pair(a, b=3):
    return a + b, a - b


@triton.jit
def calls(o):
    p = tl.program_id(0)
    s, d = pair(p)
    t = pair(p, b=p)
    tl.store(o + p, classify(p) + classify(s) * 1000 + d + t[0])


@FEATURES.add()
def device_functions():
    out = torch.zeros(10, dtype=torch.int32)
    calls[(10,)](out)
    return [out]


@triton.jit
def logic(o, n, FLAG: tl.constexpr):
    p = tl.program_id(0)
    a = 1 if p > 2 and p < 6 else 0
    b = 10 if p == 0 or not p > 1 else 20
    c = 100 if FLAG and p > 3 else 200
    d = p if n > 3 else -p
    e = 1000 * ((2 < p) & (p <= 5))
    tl.store(o + p, a + b + c + d + e)


@FEATURES.add()
def logic_and_ternaries():
    out = torch.zeros(8, dtype=torch.int32)
    logic[(8,)](out, 7, FLAG=True)
    return [out]


@triton.jit
def loops(x, o, n, B: tl.constexpr, STEPS: tl.constexpr):
    p = tl.program_id(0)
    i = tl.arange(0, B)
    acc = tl.zeros((B,), tl.float32)
    for j in tl.static_range(STEPS):
        acc += j * tl.load(x + i)
    for j in tl.range(0, n, 2, num_stages=2):
        acc += j
    for j in range(n, 0, -3):
        acc -= j * p
    for j in range(p, 5):
        acc = acc * 1.5
    tl.store(o + p * B + i, acc)


@FEATURES.add(**CLOSE)
def loops_of_all_kinds():
    out = torch.zeros(8, 16)
    loops[(8,)](randn(16), out, 7, B=16, STEPS=3)
    return [out]


@triton.jit
def three_axes(o):
    x = tl.program_id(0)
    y = tl.program_id(1)
    z = tl.program_id(2)
    i = (x * tl.num_programs(1) + y) * tl.num_programs(2) + z
    tl.store(o + i, x * 100 + y * 10 + z)


@FEATURES.add()
def three_grid_axes():
    out = torch.zeros(24, dtype=torch.int32)
    three_axes[(2, 3, 4)](out)
    return [out]


@triton.jit
def chained(o, n):
    p = tl.program_id(0)
    inside = (p > 0) & (p < n)
    count = 0
    while (count < p) and (count < 5):
        count += 1
    tl.store(o + p, count + inside)


@FEATURES.add()
def while_with_and():
    out = torch.zeros(9, dtype=torch.int32)
    chained[(9,)](out, 4)
    return [out]


@triton.jit
def carried(x, o, N: tl.constexpr):
    i = tl.arange(0, N)
    pointer = x + tl.program_id(0) * N
    best = -1.0e9
    where = 0
    for j in range(N):
        v = tl.load(pointer)
        if v > best:
            best = v
            where = j
        pointer += 1
    tl.store(o + tl.program_id(0) * 2, best)
    tl.store(o + tl.program_id(0) * 2 + 1, where + tl.sum(i * 0))


@FEATURES.add()
def pointers_carried_through_loops():
    out = torch.zeros(5, 2)
    carried[(5,)](randn(5, 8), out, N=8)
    return [out]


@triton.jit
def nested_loops_with_return(o, n):
    p = tl.program_id(0)
    for i in range(n):
        for j in range(n):
            if i * n + j == p:
                tl.store(o + p, i * 10 + j)
                return
    tl.store(o + p, -1)


@FEATURES.add()
def return_out_of_nested_loops():
    out = torch.zeros(12, dtype=torch.int32)
    nested_loops_with_return[(12,)](out, 3)
    return [out]


@triton.jit
def hinted_condition(o, n):
    p = tl.program_id(0)
    i = 0
    while tl.condition(i < n, disable_licm=True):
        i += p + 1
    tl.store(o + p, i)


@FEATURES.add(needs="condition", oracle_since="3.7")
def while_with_a_hint():
    out = torch.zeros(4, dtype=torch.int32)
    hinted_condition[(4,)](out, 10)
    return [out]


@triton.jit
def factorial(n: tl.constexpr):
    if n <= 1:
        return 1
    else:
        return n * factorial(n - 1)


@triton.jit
def calls_itself(o, N: tl.constexpr):
    tl.store(o, factorial(N))


@FEATURES.add()
def recursion_over_constexprs():
    out = torch.zeros(1, dtype=torch.int32)
    calls_itself[(1,)](out, N=5)
    return [out]


@triton.jit
def assigns_in_a_condition(x, o, n, N: tl.constexpr):
    """A kernel may say what it does."""
    i = tl.arange(0, N)
    if (p := tl.program_id(0)) > 0:
        tl.store(o + p * N + i, tl.load(x + i, mask=i < n, other=0.0), mask=i < n)
    else:
        pass
    if p == 0:
        tl.store(o + i, 1.0)


@FEATURES.add()
def walrus_and_pass():
    out = torch.zeros(48)
    assigns_in_a_condition[(3,)](randn(16), out, 11, N=16)
    return [out]


@triton.jit
def fibonacci(o):
    p = tl.program_id(0)
    a, b = 0, 1
    for _ in range(p):
        a, b = b, a + b
    tl.store(o + p, a)


@FEATURES.add()
def exchange_in_a_loop():
    out = torch.zeros(10, dtype=torch.int32)
    fibonacci[(10,)](out)
    return [out]


@triton.jit
def returns_from_everywhere(x, o, n):
    p = tl.program_id(0)
    v = tl.load(x + p)
    if p > 3:
        if v > 0:
            tl.store(o + p, 1.0)
            return
        tl.store(o + p, 2.0)
    elif p == 1:
        return
    else:
        for k in range(n):
            if v > k:
                tl.store(o + p, k * 10.0)
                return
            v += 0.5
    tl.store(o + p + 16, v)


@FEATURES.add()
def return_out_of_branches_and_loops():
    out = torch.zeros(32)
    returns_from_everywhere[(8,)](randn(8), out, 5)
    return [out]
