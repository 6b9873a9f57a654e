import torch
import triton
import triton.language as tl


@triton.jit
def transpose_kernel(x_ptr, out_ptr, M, N, stride_x, stride_out, BLOCK: tl.constexpr):
    rm = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    rn = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = (rm[:, None] < M) & (rn[None, :] < N)
    tile = tl.load(x_ptr + rm[:, None] * stride_x + rn[None, :], mask=mask)
    tl.store(out_ptr + rn[:, None] * stride_out + rm[None, :], tl.trans(tile), mask=mask.trans())


def transpose(x):
    m, n = x.shape
    out = torch.empty((n, m), device=x.device)
    grid = (triton.cdiv(m, 16), triton.cdiv(n, 16))
    transpose_kernel[grid](x, out, m, n, x.stride(0), out.stride(0), BLOCK=16)
    return out
