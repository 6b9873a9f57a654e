"""One softmax kernel, 2²⁶ elements: the number of warps that suits one row length, on rows of others."""

import torch
import triton
import triton.language as tl

from tritontui.runner.spec import Experiment, Timing

ELEMENTS = 1 << 26


@triton.jit
def softmax_kernel(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    c = tl.arange(0, BLOCK)
    mask = c < columns
    x = tl.load(x_ptr + row * columns + c, mask=mask, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * columns + c, e / tl.sum(e, axis=0), mask=mask)


def softmax(point, lab):
    columns = point["columns"]
    x = lab.randn(ELEMENTS // columns, columns)
    out = torch.empty_like(x)

    def call() -> torch.Tensor:
        block = triton.next_power_of_2(columns)
        softmax_kernel[(x.shape[0],)](x, out, columns, BLOCK=block, num_warps=point["warps"])
        return out

    return Timing(call, bytes=2 * x.nbytes, flops=5 * x.numel(), expected=lambda: torch.softmax(x, dim=1))


EXPERIMENT = Experiment({"softmax": softmax})
