import torch
import triton
import triton.language as tl


@triton.jit
def walk_kernel(a_ptr, b_ptr, c_ptr, K, SIDE: tl.constexpr, BLOCK_K: tl.constexpr):
    rows = tl.arange(0, SIDE)
    cols = tl.arange(0, SIDE)
    acc = tl.zeros((SIDE, SIDE), dtype=tl.float32)
    for start in range(0, K, BLOCK_K):
        k = start + tl.arange(0, BLOCK_K)
        a = tl.load(a_ptr + rows[:, None] * K + k[None, :], mask=k[None, :] < K)  # expect: masked-load-without-other
        b = tl.load(b_ptr + k[:, None] * SIDE + cols[None, :], mask=k[:, None] < K)
        acc = tl.dot(a, b, acc)
    tl.store(c_ptr + rows[:, None] * SIDE + cols[None, :], acc)


def narrow_product(a, b):
    c = torch.empty(32, 32, device=a.device, dtype=a.dtype)
    walk_kernel[(1,)](a, b, c, a.shape[1], SIDE=32, BLOCK_K=32)
    return c
