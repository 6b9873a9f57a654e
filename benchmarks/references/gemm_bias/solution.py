import torch
import triton
import triton.language as tl


@triton.jit
def gemm_kernel(
    a_ptr, b_ptr, bias_ptr, out_ptr,
    m, n, k,
    stride_am, stride_ak, stride_bk, stride_bn,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
    GROUP: tl.constexpr, EVEN_K: tl.constexpr,
):  # fmt: skip
    pid = tl.program_id(0)
    rows, columns = tl.cdiv(m, BM), tl.cdiv(n, BN)
    # GROUP rows of tiles at a time, so that programs which run together share tiles of a and b in L2.
    group = pid // (GROUP * columns)
    height = tl.minimum(rows - group * GROUP, GROUP)
    tile_m = group * GROUP + (pid % (GROUP * columns)) % height
    tile_n = (pid % (GROUP * columns)) // height

    offs_m = tile_m * BM + tl.arange(0, BM)
    offs_n = tile_n * BN + tl.arange(0, BN)
    offs_k = tl.arange(0, BK)
    a_ptrs = a_ptr + (offs_m % m)[:, None] * stride_am + offs_k[None, :] * stride_ak
    b_ptrs = b_ptr + offs_k[:, None] * stride_bk + (offs_n % n)[None, :] * stride_bn

    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, k, BK):
        if EVEN_K:
            a = tl.load(a_ptrs)
            b = tl.load(b_ptrs)
        else:
            a = tl.load(a_ptrs, mask=offs_k[None, :] < k - start, other=0.0)
            b = tl.load(b_ptrs, mask=offs_k[:, None] < k - start, other=0.0)
        acc = tl.dot(a, b, acc)
        a_ptrs += BK * stride_ak
        b_ptrs += BK * stride_bk

    acc += tl.load(bias_ptr + offs_n, mask=offs_n < n, other=0.0)[None, :]
    out_ptrs = out_ptr + offs_m[:, None] * n + offs_n[None, :]
    tl.store(out_ptrs, acc.to(tl.float16), mask=(offs_m < m)[:, None] & (offs_n < n)[None, :])


def gemm_bias(a, b, bias):
    (m, k), n = a.shape, b.shape[1]
    out = torch.empty(m, n, device=a.device, dtype=a.dtype)
    grid = (triton.cdiv(m, 128) * triton.cdiv(n, 256),)
    gemm_kernel[grid](
        a, b, bias, out, m, n, k, *a.stride(), *b.stride(),
        BM=128, BN=256, BK=64, GROUP=8, EVEN_K=k % 64 == 0, num_warps=8, num_stages=3,
    )  # fmt: skip
    return out
