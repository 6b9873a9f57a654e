import torch
import triton
import triton.language as tl


@triton.jit
def twice_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    mask = offs < n
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    total += tl.load(x_ptr + offs, mask=mask, other=0.0)
    total += tl.load(x_ptr + offs, mask=mask, other=0.0)
    tl.store(out_ptr + offs, total, mask=mask)  # expect: never-written


def twice(x):
    out = torch.empty_like(x)
    n = out.numel()
    if n == 0:
        return out
    twice_kernel[(1,)](x, out, n, BLOCK=4096)
    return out
