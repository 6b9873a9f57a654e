import torch
import triton
import triton.language as tl


@triton.jit
def fill_kernel(out_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    value = tl.full((BLOCK,), 0, tl.int32) + pid
    tl.store(out_ptr + offs, value, mask=mask)


def fill_pid(like):
    out = torch.empty_like(like)
    n = out.numel()
    if n == 0:
        return out
    grid = (triton.cdiv(n, 64),)
    fill_kernel[grid](out, n, BLOCK=64)
    return out
