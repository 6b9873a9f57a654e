"""An addition from small to large, and products of square matrices: three things that a kernel may wait for."""

import torch
import triton
import triton.language as tl

from tritontui.runner.spec import Experiment, Timing

BLOCK = 1024


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    y = tl.load(y_ptr + offs, mask=mask)
    tl.store(out_ptr + offs, x + y, mask=mask)


def add(point, lab):
    x, y = lab.randn(point["n"]), lab.randn(point["n"])
    out = torch.empty_like(x)
    grid = (triton.cdiv(x.numel(), BLOCK),)
    return Timing(lambda: add_kernel[grid](x, y, out, x.numel(), BLOCK=BLOCK), bytes=3 * x.nbytes, flops=x.numel())


def matmul(point, lab):
    """Two matrices are read and one is written; each of the m² results is m products and m sums."""
    m = point["m"]
    x, y = lab.randn(m, m, dtype=torch.float16), lab.randn(m, m, dtype=torch.float16)
    out = torch.empty_like(x)
    return Timing(lambda: torch.matmul(x, y, out=out), bytes=3 * x.nbytes, flops=2 * m**3)


EXPERIMENT = Experiment({"add": add, "matmul": matmul})
