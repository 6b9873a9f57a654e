import torch
import triton
import triton.language as tl


@triton.jit
def reverse_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + (n - 1 - offs), mask=mask)
    tl.store(out_ptr + offs, x, mask=mask)


def reverse(x):
    out = torch.empty_like(x)
    n = x.numel()
    if n == 0:
        return out
    reverse_kernel[(triton.cdiv(n, 64),)](x, out, n, BLOCK=64)
    return out
