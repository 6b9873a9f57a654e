import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def gemm_kernel(
    a_desc, b_desc, bias_ptr, out_desc,
    m, n, k,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr,
):  # fmt: skip
    rows, columns = tl.cdiv(m, BM), tl.cdiv(n, BN)
    # One program a multiprocessor takes tile after tile, and loads the next one's while it still stores.
    for tile in tl.range(tl.program_id(0), rows * columns, tl.num_programs(0), flatten=True):
        # GROUP rows of tiles at a time, so that programs which run together share tiles of a and b in L2.
        group = tile // (GROUP * columns)
        height = tl.minimum(rows - group * GROUP, GROUP)
        first_m = (group * GROUP + (tile % (GROUP * columns)) % height) * BM
        first_n = ((tile % (GROUP * columns)) // height) * BN
        acc = tl.zeros((BM, BN), dtype=tl.float32)
        for start in range(0, k, BK):
            acc = tl.dot(a_desc.load([first_m, start]), b_desc.load([start, first_n]), acc)
        offs_n = first_n + tl.arange(0, BN)
        acc += tl.load(bias_ptr + offs_n, mask=offs_n < n, other=0.0)[None, :]
        out_desc.store([first_m, first_n], acc.to(tl.float16))


def gemm_bias(a, b, bias):
    (m, k), n = a.shape, b.shape[1]
    out = torch.empty(m, n, device=a.device, dtype=a.dtype)
    a_desc = TensorDescriptor.from_tensor(a, [128, 64])
    b_desc = TensorDescriptor.from_tensor(b, [64, 256])
    out_desc = TensorDescriptor.from_tensor(out, [128, 256])
    programs = torch.cuda.get_device_properties(a.device).multi_processor_count
    grid = (min(programs, triton.cdiv(m, 128) * triton.cdiv(n, 256)),)
    gemm_kernel[grid](
        a_desc, b_desc, bias, out_desc, m, n, k, BM=128, BN=256, BK=64, GROUP=8, num_warps=8, num_stages=3
    )
    return out
