import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    programs = tl.num_programs(0)
    for block in range(pid, tl.cdiv(n, BLOCK), programs):
        offs = block * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + offs)  # expect: out-of-bounds-read
        y = tl.load(y_ptr + offs)
        tl.store(out_ptr + offs, x + y)


def add_in_turns(x, y, programs):
    out = torch.empty_like(x)
    n = out.numel()
    if n == 0:
        return out
    add_kernel[(programs,)](x, y, out, n, BLOCK=64)
    return out
