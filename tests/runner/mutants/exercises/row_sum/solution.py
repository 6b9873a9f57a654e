import torch
import triton
import triton.language as tl


@triton.jit
def sum_kernel(x_ptr, out_ptr, stride, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        offs = start + tl.arange(0, BLOCK)
        mask = offs < columns
        x = tl.load(x_ptr + row * stride + offs, mask=mask, other=0.0)
        acc += x
    total = tl.sum(acc, axis=0)
    tl.store(out_ptr + row, total)


def row_sum(x):
    rows, columns = x.shape
    out = torch.empty(rows, device=x.device, dtype=torch.float32)
    sum_kernel[(rows,)](x, out, x.stride(0), columns, BLOCK=64)
    return out
