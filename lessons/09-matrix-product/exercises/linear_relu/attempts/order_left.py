import torch
import triton
import triton.language as tl


@triton.jit
def linear_kernel(
    x_ptr, w_ptr, bias_ptr, y_ptr, M, N, K,
    stride_xm, stride_xk, stride_wk, stride_wn,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
    GROUP: tl.constexpr,
):
    pid = tl.program_id(0)
    across = tl.cdiv(N, BN)
    first = pid // (GROUP * across) * GROUP
    within = pid % (GROUP * across)
    height = min(tl.cdiv(M, BM) - first, GROUP)
    rows = (first + within % height) * BM + tl.arange(0, BM)
    cols = within // height * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        x_ptrs = x_ptr + rows[:, None] * stride_xm + k[None, :] * stride_xk
        w_ptrs = w_ptr + k[:, None] * stride_wk + cols[None, :] * stride_wn
        x = tl.load(x_ptrs, mask=(rows[:, None] < M) & (k[None, :] < K), other=0.0)
        w = tl.load(w_ptrs, mask=(k[:, None] < K) & (cols[None, :] < N), other=0.0)
        acc = tl.dot(x, w, acc)
    bias = tl.load(bias_ptr + cols, mask=cols < N, other=0.0).to(tl.float32)
    acc = tl.maximum(acc, 0.0)  # expect: step-too-early
    acc = acc + bias[None, :]
    y_ptrs = y_ptr + rows[:, None] * N + cols[None, :]
    tl.store(y_ptrs, acc, mask=(rows[:, None] < M) & (cols[None, :] < N))


def linear_relu(x, w, bias):
    M, K = x.shape
    N = w.shape[1]
    y = torch.empty(M, N, device=x.device, dtype=x.dtype)
    grid = (triton.cdiv(M, 32) * triton.cdiv(N, 32),)
    linear_kernel[grid](
        x, w, bias, y, M, N, K, *x.stride(), *w.stride(), BM=32, BN=32, BK=32, GROUP=2
    )
    return y
