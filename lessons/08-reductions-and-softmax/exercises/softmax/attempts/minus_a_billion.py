import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, out_ptr, columns, stride_row, stride_col, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    mask = c < columns
    x = tl.load(x_ptr + row * stride_row + c * stride_col, mask=mask, other=-1e9).to(tl.float32)  # expect: wrong-constant
    peak = tl.max(x, axis=0)
    e = tl.exp(x - peak)
    total = tl.sum(e, axis=0)
    y = e / total
    tl.store(out_ptr + row * columns + c, y, mask=mask)


def softmax(x):
    rows, columns = x.shape
    out = torch.empty(rows, columns, device=x.device, dtype=x.dtype)
    if rows == 0:
        return out
    BLOCK = triton.next_power_of_2(columns)
    softmax_kernel[(rows,)](x, out, columns, *x.stride(), BLOCK=BLOCK)
    return out
