import triton
import triton.language as tl


@triton.jit
def copy_kernel(
    x_ptr,
    out_ptr,
    rows,
    columns,
    x_stride_row,
    x_stride_col,
    out_stride_row,
    out_stride_col,
    BLOCK_ROWS: tl.constexpr,
    BLOCK_COLS: tl.constexpr,
):
    r = tl.program_id(0) * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)
    c = tl.program_id(1) * BLOCK_COLS + tl.arange(0, BLOCK_COLS)
    x_offs = r[:, None] * x_stride_row + c[None, :] * x_stride_col
    out_offs = r[:, None] * out_stride_row + c[None, :] * out_stride_col
    mask = (r[:, None] < rows) & (c[None, :] < columns)
    x = tl.load(x_ptr + x_offs, mask=mask)
    tl.store(out_ptr + x_offs, x, mask=mask)  # expect: output-strides


def copy_2d(x, out):
    rows, columns = x.shape
    if x.numel() == 0:
        return out
    grid = (triton.cdiv(rows, 16), triton.cdiv(columns, 32))
    copy_kernel[grid](
        x, out, rows, columns, *x.stride(), *out.stride(), BLOCK_ROWS=16, BLOCK_COLS=32
    )
    return out
