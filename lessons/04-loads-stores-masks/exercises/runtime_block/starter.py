import torch
import triton
import triton.language as tl


@triton.jit
def twice_kernel(x_ptr, out_ptr, n):
    offs = tl.arange(0, n)
    total = tl.zeros((n,), dtype=tl.float32)
    total += tl.load(x_ptr + offs)
    total += tl.load(x_ptr + offs)
    tl.store(out_ptr + offs, total)


def twice(x):
    out = torch.empty_like(x)
    n = out.numel()
    if n == 0:
        return out
    twice_kernel[(1,)](x, out, n)
    return out
