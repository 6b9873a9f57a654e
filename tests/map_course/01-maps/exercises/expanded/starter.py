import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, bias_ptr, out_ptr, N, sx, sb, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * sx + cols, mask=cols < N)
    bias = tl.load(bias_ptr + row * sb + cols, mask=cols < N)
    tl.store(out_ptr + row * N + cols, x + bias, mask=cols < N)


def expanded(x, bias):
    out = torch.empty_like(x)
    add_kernel[(x.shape[0],)](x, bias, out, x.shape[1], x.stride(0), bias.stride(0), BLOCK=32)
    return out
