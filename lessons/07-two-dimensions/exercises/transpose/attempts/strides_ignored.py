import torch
import triton
import triton.language as tl


@triton.jit
def transpose_kernel(
    x_ptr,
    out_ptr,
    rows,
    columns,
    stride_row,
    stride_col,
    BLOCK_ROWS: tl.constexpr,
    BLOCK_COLS: tl.constexpr,
):
    r = tl.program_id(0) * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)
    c = tl.program_id(1) * BLOCK_COLS + tl.arange(0, BLOCK_COLS)
    mask = (r[:, None] < rows) & (c[None, :] < columns)
    x = tl.load(x_ptr + r[:, None] * columns + c[None, :], mask=mask)  # expect: stride-ignored
    tl.store(out_ptr + c[None, :] * rows + r[:, None], x, mask=mask)


def transpose(x):
    rows, columns = x.shape
    out = torch.empty(columns, rows, device=x.device, dtype=x.dtype)
    if x.numel() == 0:
        return out
    grid = (triton.cdiv(rows, 16), triton.cdiv(columns, 64))
    transpose_kernel[grid](
        x, out, rows, columns, *x.stride(), BLOCK_ROWS=16, BLOCK_COLS=64
    )
    return out
