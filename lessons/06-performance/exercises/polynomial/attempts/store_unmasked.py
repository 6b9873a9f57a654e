import torch
import triton
import triton.language as tl


@triton.jit
def polynomial_kernel(x_ptr, out_ptr, n, DEGREE: tl.constexpr, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    y = tl.full((BLOCK,), 1.0, tl.float32)
    for _ in tl.static_range(DEGREE):
        y = y * x + 1.0
    tl.store(out_ptr + offs, y)  # expect: out-of-bounds-write


def polynomial(x, degree):
    out = torch.empty_like(x)
    n = x.numel()
    if n == 0:
        return out
    grid = (triton.cdiv(n, 1024),)
    polynomial_kernel[grid](x, out, n, DEGREE=degree, BLOCK=1024)
    return out
