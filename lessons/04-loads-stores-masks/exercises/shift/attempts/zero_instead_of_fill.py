import torch
import triton
import triton.language as tl


@triton.jit
def shift_kernel(x_ptr, out_ptr, n, k, fill, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    source = offs - k
    x = tl.load(x_ptr + source, mask=mask & (source >= 0), other=0.0)  # expect: wrong-constant
    tl.store(out_ptr + offs, x, mask=mask)


def shift(x, k, fill):
    out = torch.empty_like(x)
    n = out.numel()
    if n == 0:
        return out
    grid = (triton.cdiv(n, 256),)
    shift_kernel[grid](x, out, n, k, fill, BLOCK=256)
    return out
