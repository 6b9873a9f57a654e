import torch
import triton
import triton.language as tl


@triton.jit
def fill_kernel(out_ptr, n, BLOCK: tl.constexpr):
    pid = 0  # 1. which program is this?
    offs = tl.arange(0, BLOCK)  # 2. which elements are its own?
    tl.store(out_ptr + offs, pid, mask=offs < n)


def fill_pid(like):
    out = torch.empty_like(like, dtype=torch.int32)
    n = out.numel()
    grid = (1,)  # 3. how many programs?
    fill_kernel[grid](out, n, BLOCK=64)
    return out
