import torch
import triton
import triton.language as tl


@triton.jit
def fill_kernel(out_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = tl.arange(pid * BLOCK, (pid + 1) * BLOCK)  # expect: not-constexpr
    tl.store(out_ptr + offs, pid, mask=offs < n)


def fill_pid(like):
    out = torch.empty_like(like, dtype=torch.int32)
    n = out.numel()
    grid = (triton.cdiv(n, 64),)
    fill_kernel[grid](out, n, BLOCK=64)
    return out
