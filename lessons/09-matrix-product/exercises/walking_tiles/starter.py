import torch
import triton
import triton.language as tl


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, N, K, SIDE: tl.constexpr):
    pid = tl.program_id(0)
    across = tl.cdiv(N, SIDE)
    rows = pid // across * SIDE + tl.arange(0, SIDE)
    cols = pid % across * SIDE + tl.arange(0, SIDE)
    acc = tl.zeros((SIDE, SIDE), dtype=tl.float32)
    for start in range(0, K, SIDE):
        k = start + tl.arange(0, SIDE)
        a = tl.load(a_ptr + rows[:, None] * K + k[None, :])
        b = tl.load(b_ptr + k[:, None] * N + cols[None, :])
        acc = tl.dot(a, b, acc)
    tl.store(c_ptr + rows[:, None] * N + cols[None, :], acc)


def matmul(a, b, tile):
    M, K = a.shape
    N = b.shape[1]
    c = torch.empty(M, N, device=a.device, dtype=a.dtype)
    grid = (triton.cdiv(M, tile) * triton.cdiv(N, tile),)
    matmul_kernel[grid](a, b, c, N, K, SIDE=tile)
    return c
