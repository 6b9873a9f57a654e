import torch
import triton
import triton.language as tl


@triton.jit
def tile_kernel(a_ptr, b_ptr, c_ptr, SIDE: tl.constexpr):
    rows = tl.arange(0, SIDE)
    cols = tl.arange(0, SIDE)
    offs = rows[:, None] * SIDE + cols[None, :]
    a = tl.load(a_ptr + offs)
    b = tl.load(b_ptr + offs)
    c = tl.dot(a, tl.trans(b))  # expect: surplus-term
    tl.store(c_ptr + offs, c)


def tile_product(a, b):
    c = torch.empty(32, 32, device=a.device, dtype=a.dtype)
    tile_kernel[(1,)](a, b, c, SIDE=32)
    return c
