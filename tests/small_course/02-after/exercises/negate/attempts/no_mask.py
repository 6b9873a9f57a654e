import torch
import triton
import triton.language as tl


@triton.jit
def negate_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs)  # expect: out-of-bounds-read
    tl.store(out_ptr + offs, -x, mask=mask)


def negate(x):
    out = torch.empty_like(x)
    n = out.numel()
    negate_kernel[(triton.cdiv(n, 64),)](x, out, n, BLOCK=64)
    return out
