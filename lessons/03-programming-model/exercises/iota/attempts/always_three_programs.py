import torch
import triton
import triton.language as tl


@triton.jit
def iota_kernel(out_ptr, owner_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    P = tl.num_programs(0)
    offs = pid + 3 * tl.arange(0, BLOCK)
    mask = offs < n
    tl.store(out_ptr + offs, offs, mask=mask)  # expect: never-written
    tl.store(owner_ptr + offs, pid, mask=mask)


def iota(like):
    out = torch.empty_like(like, dtype=torch.int32)
    owner = torch.empty_like(out)
    n = out.numel()
    grid = (triton.cdiv(n, 64),)
    iota_kernel[grid](out, owner, n, BLOCK=64)
    return out, owner
