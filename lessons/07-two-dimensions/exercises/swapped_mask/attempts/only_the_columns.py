import torch
import triton
import triton.language as tl


@triton.jit
def scale_kernel(x_ptr, out_ptr, factor, M, N, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    offs = rows[:, None] * N + cols[None, :]
    mask = cols[None, :] < N
    x = tl.load(x_ptr + offs, mask=mask)  # expect: out-of-bounds-read
    tl.store(out_ptr + offs, x * factor, mask=mask)


def scale_2d(x, factor):
    M, N = x.shape
    out = torch.empty_like(x)
    grid = (triton.cdiv(M, 16), triton.cdiv(N, 16))
    scale_kernel[grid](x, out, factor, M, N, BLOCK=16)
    return out
