import torch
import triton
import triton.language as tl


@triton.jit
def reverse_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + n - 1 - offs, mask=mask)
    tl.store(out_ptr + n - 1 - offs, x, mask=mask)  # expect: value-mismatch


def reverse(x):
    out = torch.empty_like(x)
    n = out.numel()
    if n == 0:
        return out
    grid = (triton.cdiv(n, 256),)
    reverse_kernel[grid](x, out, n, BLOCK=256)
    return out
