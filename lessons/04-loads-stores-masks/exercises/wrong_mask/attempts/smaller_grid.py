import torch
import triton
import triton.language as tl


@triton.jit
def scale_kernel(x_ptr, out_ptr, n, factor, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    offs = pid * BLOCK + lanes
    mask = lanes < n
    x = tl.load(x_ptr + offs, mask=mask)
    tl.store(out_ptr + offs, x * factor, mask=mask)


def scale(x, factor):
    out = torch.empty_like(x)
    n = out.numel()
    if n == 0:
        return out
    grid = (max(1, n // 256),)
    scale_kernel[grid](x, out, n, factor, BLOCK=256)  # expect: never-written
    return out
