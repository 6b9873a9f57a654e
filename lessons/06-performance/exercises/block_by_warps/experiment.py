"""Addition of 2²⁷ elements by BLOCK and num_warps."""

import torch
import triton
import triton.language as tl

from tritontui.runner.spec import Experiment, Timing

N = 1 << 27


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    y = tl.load(y_ptr + offs, mask=mask)
    tl.store(out_ptr + offs, x + y, mask=mask)


def add(point, lab):
    x, y = lab.randn(N), lab.randn(N)
    out = torch.empty_like(x)

    def call() -> torch.Tensor:
        block = point["BLOCK"]
        add_kernel[(triton.cdiv(N, block),)](x, y, out, N, BLOCK=block, num_warps=point["warps"])
        return out

    return Timing(call, bytes=3 * x.nbytes, flops=N, expected=lambda: x + y)


EXPERIMENT = Experiment({"add": add})
