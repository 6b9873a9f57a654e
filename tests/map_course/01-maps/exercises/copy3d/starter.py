import torch
import triton
import triton.language as tl


@triton.jit
def copy_kernel(x_ptr, out_ptr, R, C, BR: tl.constexpr, BC: tl.constexpr):
    batch = tl.program_id(0)
    r = tl.arange(0, BR)
    c = tl.arange(0, BC)
    mask = (r[:, None] < R) & (c[None, :] < C)
    offs = batch * R * C + r[:, None] * C + c[None, :]
    tl.store(out_ptr + offs, tl.load(x_ptr + offs, mask=mask), mask=mask)


def copy3d(x):
    out = torch.empty_like(x)
    copy_kernel[(x.shape[0],)](x, out, x.shape[1], x.shape[2], BR=8, BC=16)
    return out
