import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    y = tl.load(y_ptr + offs, mask=mask)
    return x + y  # expect: unsupported-statement


def add(x, y):
    out = torch.empty_like(x)
    n = out.numel()
    if n == 0:
        return out
    grid = (triton.cdiv(n, 256),)
    out = add_kernel[grid](x, y, n, BLOCK=256)
    return out
