import torch
import triton
import triton.language as tl


@triton.jit
def copy_kernel(x_ptr, out_ptr, M, N, stride_m, stride_n, BM: tl.constexpr, BN: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.arange(0, BN)
    mask = (rm[:, None] < M) & (rn[None, :] < N)
    x = tl.load(x_ptr + rm[:, None] * stride_m + rn[None, :] * stride_n, mask=mask)
    tl.store(out_ptr + rm[:, None] * N + rn[None, :], x, mask=mask)


def strided_copy(x):
    m, n = x.shape
    out = torch.empty((m, n), device=x.device)
    copy_kernel[(triton.cdiv(m, 4),)](x, out, m, n, *x.stride(), BM=4, BN=16)
    return out
