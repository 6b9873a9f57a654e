import torch
import triton
import triton.language as tl


@triton.jit
def copy_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs)
    tl.store(out_ptr + offs, offs)  # expect: wrong-operand


def copy(x):
    out = torch.empty_like(x)
    grid = (x.numel() // 256,)
    copy_kernel[grid](x, out, BLOCK=256)
    return out
