"""Transposing a large matrix by tiles of several shapes, each of 1,024 elements or a few times as many."""

import torch
import triton
import triton.language as tl

from tritontui.runner.spec import Experiment, Timing

SIZE = 16384


@triton.jit
def transpose_kernel(x_ptr, out_ptr, n, ROWS: tl.constexpr, COLS: tl.constexpr):
    r = tl.program_id(1) * ROWS + tl.arange(0, ROWS)
    c = tl.program_id(0) * COLS + tl.arange(0, COLS)
    x = tl.load(x_ptr + r[:, None] * n + c[None, :])
    tl.store(out_ptr + c[None, :] * n + r[:, None], x)


def turn(point, lab):
    rows, cols = (int(side) for side in point["tile"].split(" × "))
    x = lab.randn(SIZE, SIZE)
    out = torch.empty_like(x)

    def call() -> torch.Tensor:
        transpose_kernel[SIZE // cols, SIZE // rows](x, out, SIZE, ROWS=rows, COLS=cols)
        return out

    return Timing(call, bytes=2 * x.nbytes, expected=lambda: x.t())


EXPERIMENT = Experiment({"turn": turn})
