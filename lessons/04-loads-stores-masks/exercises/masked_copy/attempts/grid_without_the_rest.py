import torch
import triton
import triton.language as tl


@triton.jit
def copy_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs)
    tl.store(out_ptr + offs, x)


def masked_copy(x):
    out = torch.empty_like(x)
    n = out.numel()
    if n == 0:
        return out
    grid = (n // 256,)
    copy_kernel[grid](x, out, n, BLOCK=256)  # expect: never-written
    return out
