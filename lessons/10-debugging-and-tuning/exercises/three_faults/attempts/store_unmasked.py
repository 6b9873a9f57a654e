import torch
import triton
import triton.language as tl


@triton.jit
def linear_kernel(x_ptr, w_ptr, out_ptr, M: tl.constexpr, N, K, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    row_mask = rows[:, None] < M
    col_mask = cols[None, :] < N
    acc = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
    for start in range(0, K, BLOCK):
        k = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + rows[:, None] * K + k[None, :], mask=row_mask & (k[None, :] < K), other=0.0)
        w = tl.load(w_ptr + k[:, None] * N + cols[None, :], mask=(k[:, None] < K) & col_mask, other=0.0)
        acc = tl.dot(x, w, acc, input_precision="ieee")
    tl.store(out_ptr + rows[:, None] * N + cols[None, :], acc, mask=row_mask)  # expect: out-of-bounds-write


def linear(x, w):
    (M, K), N = x.shape, w.shape[1]
    out = torch.empty(M, N, dtype=torch.float32, device=x.device)
    grid = (triton.cdiv(M, 16), triton.cdiv(N, 16))
    linear_kernel[grid](x, w, out, M, N, K, BLOCK=16)
    return out
