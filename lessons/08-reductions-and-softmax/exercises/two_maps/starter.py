import torch
import triton
import triton.language as tl


@triton.jit
def pointwise_kernel(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * columns + c, mask=c < columns)
    tl.store(out_ptr + row * columns + c, 2 * x, mask=c < columns)


@triton.jit
def reduction_kernel(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * columns + c, mask=c < columns, other=0.0)
    tl.store(out_ptr + row, tl.sum(x, axis=0))


def rows(x, kernel, num_warps):
    BLOCK = triton.next_power_of_2(x.shape[1])
    if kernel == "pointwise":
        out = torch.empty_like(x)
        pointwise_kernel[(x.shape[0],)](x, out, x.shape[1], BLOCK=BLOCK, num_warps=num_warps)
    else:
        out = torch.empty(x.shape[0], dtype=x.dtype, device=x.device)
        reduction_kernel[(x.shape[0],)](x, out, x.shape[1], BLOCK=BLOCK, num_warps=num_warps)
    return out
