import torch
import triton
import triton.language as tl


@triton.jit
def bias_kernel(
    x_ptr,
    bias_ptr,
    out_ptr,
    rows,
    columns,
    stride_row,
    stride_col,
    stride_bias,
    BLOCK_ROWS: tl.constexpr,
    BLOCK_COLS: tl.constexpr,
):
    r = tl.program_id(0) * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)
    c = tl.program_id(1) * BLOCK_COLS + tl.arange(0, BLOCK_COLS)
    mask = (r[:, None] < rows) & (c[None, :] < columns)
    x = tl.load(x_ptr + r[:, None] * stride_row + c[None, :] * stride_col, mask=mask)
    bias = tl.load(bias_ptr + tl.arange(0, BLOCK_COLS) * stride_bias)  # expect: out-of-bounds-read
    y = x + bias[None, :]
    tl.store(out_ptr + r[:, None] * columns + c[None, :], y, mask=mask)


def add_bias(x, bias):
    rows, columns = x.shape
    out = torch.empty(rows, columns, device=x.device, dtype=x.dtype)
    if x.numel() == 0:
        return out
    grid = (triton.cdiv(rows, 8), triton.cdiv(columns, 32))
    bias_kernel[grid](
        x, bias, out, rows, columns, *x.stride(), *bias.stride(), BLOCK_ROWS=8, BLOCK_COLS=32
    )
    return out
