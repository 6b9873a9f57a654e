import torch
import triton
import triton.language as tl


@triton.jit
def gather_kernel(x_ptr, out_ptr, count, k, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs * k < count
    x = tl.load(x_ptr + offs * k, mask=mask)
    tl.store(out_ptr + offs, x, mask=mask)  # expect: never-written


def gather_stride(x, k):
    count = triton.cdiv(x.numel(), k)
    out = torch.empty(count, device=x.device, dtype=x.dtype)
    if count == 0:
        return out
    gather_kernel[(triton.cdiv(count, 256),)](x, out, count, k, BLOCK=256)
    return out
