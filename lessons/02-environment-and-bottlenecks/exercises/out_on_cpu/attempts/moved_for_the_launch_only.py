import torch
import triton
import triton.language as tl


@triton.jit
def triple_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs)
    tl.store(out_ptr + offs, 3 * x)


def triple(x):
    out = torch.empty(x.shape, dtype=x.dtype)
    grid = (x.numel() // 256,)
    triple_kernel[grid](x, out.to(x.device), BLOCK=256)
    return out  # expect: wrapper-contract
