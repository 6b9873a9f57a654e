"""A product of 4,096³ in float16 by tiles of several shapes, in groups of eight rows of tiles."""

import torch
import triton
import triton.language as tl

from tritontui.runner.spec import Experiment, Timing

SIZE = 4096


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, n, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
    pid = tl.program_id(0)
    across = tl.cdiv(n, BN)
    within = pid % (GROUP * across)
    tile_row = pid // (GROUP * across) * GROUP + within % GROUP
    rows = tile_row * BM + tl.arange(0, BM)
    cols = within // GROUP * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    a_ptrs = a_ptr + rows[:, None] * n + k[None, :]
    b_ptrs = b_ptr + k[:, None] * n + cols[None, :]
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for _ in range(0, n, BK):
        acc = tl.dot(tl.load(a_ptrs), tl.load(b_ptrs), acc)
        a_ptrs += BK
        b_ptrs += BK * n
    tl.store(c_ptr + rows[:, None] * n + cols[None, :], acc.to(tl.float16))


def product(point, lab):
    bm, bn, bk = (int(side) for side in point["tile"].split(" × "))
    a, b = (lab.randn(SIZE, SIZE, dtype=torch.float16) for _ in range(2))
    c = torch.empty_like(a)

    def call() -> torch.Tensor:
        grid = (triton.cdiv(SIZE, bm) * triton.cdiv(SIZE, bn),)
        matmul_kernel[grid](a, b, c, SIZE, BM=bm, BN=bn, BK=bk, GROUP=8, num_warps=point["warps"], num_stages=3)
        return c

    return Timing(call, bytes=3 * a.nbytes, flops=2 * SIZE**3, expected=lambda: a @ b)


EXPERIMENT = Experiment({"product": product})
