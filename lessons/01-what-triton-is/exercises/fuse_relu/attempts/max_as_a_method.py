import torch
import triton
import triton.language as tl


@triton.jit
def line_kernel(x_ptr, out_ptr, a, b, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    y = (a * x + b).max(0)  # expect: wrong-function
    tl.store(out_ptr + offs, y, mask=mask)


def fuse_relu(x, a, b):
    out = torch.empty_like(x)
    n = out.numel()
    grid = (triton.cdiv(n, 1024),)
    line_kernel[grid](x, out, a, b, n, BLOCK=1024)
    return out
