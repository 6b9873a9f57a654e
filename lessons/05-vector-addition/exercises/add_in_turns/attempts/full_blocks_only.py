import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    programs = tl.num_programs(0)
    for block in range(pid, n // BLOCK, programs):
        offs = block * BLOCK + tl.arange(0, BLOCK)
        mask = offs < n
        x = tl.load(x_ptr + offs, mask=mask)
        y = tl.load(y_ptr + offs, mask=mask)
        tl.store(out_ptr + offs, x + y, mask=mask)  # expect: never-written


def add_in_turns(x, y, programs):
    out = torch.empty_like(x)
    n = out.numel()
    if n == 0:
        return out
    add_kernel[(programs,)](x, y, out, n, BLOCK=64)
    return out
