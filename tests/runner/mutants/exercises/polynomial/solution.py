import torch
import triton
import triton.language as tl


@triton.jit
def polynomial_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask).to(tl.float32)
    y = 3.0
    y = y * x - 2.0
    y = y * x + 0.5
    y = y * x + 1.0
    tl.store(out_ptr + offs, y.to(out_ptr.dtype.element_ty), mask=mask)


def polynomial(x):
    out = torch.empty_like(x)
    n = x.numel()
    if n == 0:
        return out
    grid = (triton.cdiv(n, 128),)
    polynomial_kernel[grid](x, out, n, BLOCK=128)
    return out
