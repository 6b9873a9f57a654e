import torch
import triton
import triton.language as tl


@triton.jit
def copy_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(axis=0)
    start = pid * BLOCK
    offs = start + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    tl.store(out_ptr + offs, x, mask=mask)


def masked_copy(x):
    out = torch.empty_like(x)
    n = x.numel()
    if n == 0:
        return out

    def grid(meta):
        return (triton.cdiv(n, meta["BLOCK"]),)

    copy_kernel[grid](x, out, n, BLOCK=128)
    return out
