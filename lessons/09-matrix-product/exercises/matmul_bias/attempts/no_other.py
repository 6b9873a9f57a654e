import torch
import triton
import triton.language as tl

BM, BN, BK = 32, 32, 32


@triton.jit
def matmul_kernel(
    a_ptr, b_ptr, bias_ptr, c_ptr, M, N, K,
    stride_am, stride_ak, stride_bk, stride_bn,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    cols = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        a_ptrs = a_ptr + rows[:, None] * stride_am + k[None, :] * stride_ak
        b_ptrs = b_ptr + k[:, None] * stride_bk + cols[None, :] * stride_bn
        a = tl.load(a_ptrs, mask=(rows[:, None] < M) & (k[None, :] < K))  # expect: masked-load-without-other
        b = tl.load(b_ptrs, mask=(k[:, None] < K) & (cols[None, :] < N))
        acc = tl.dot(a, b, acc)
    bias = tl.load(bias_ptr + cols, mask=cols < N, other=0.0)
    acc += bias[None, :].to(tl.float32)
    c_ptrs = c_ptr + rows[:, None] * N + cols[None, :]
    tl.store(c_ptrs, acc, mask=(rows[:, None] < M) & (cols[None, :] < N))


def matmul_bias(a, b, bias):
    M, K = a.shape
    N = b.shape[1]
    c = torch.empty(M, N, device=a.device, dtype=a.dtype)
    grid = (triton.cdiv(M, BM), triton.cdiv(N, BN))
    matmul_kernel[grid](a, b, bias, c, M, N, K, *a.stride(), *b.stride(), BM=BM, BN=BN, BK=BK)
    return c
