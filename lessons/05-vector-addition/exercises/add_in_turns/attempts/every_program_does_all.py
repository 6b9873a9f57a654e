import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    for block in range(0, tl.cdiv(n, BLOCK)):
        offs = block * BLOCK + tl.arange(0, BLOCK)  # expect: program-id-unused
        mask = offs < n
        x = tl.load(x_ptr + offs, mask=mask)
        y = tl.load(y_ptr + offs, mask=mask)
        tl.store(out_ptr + offs, x + y, mask=mask)


def add_in_turns(x, y, programs):
    out = torch.empty_like(x)
    n = out.numel()
    if n == 0:
        return out
    add_kernel[(programs,)](x, y, out, n, BLOCK=64)
    return out
