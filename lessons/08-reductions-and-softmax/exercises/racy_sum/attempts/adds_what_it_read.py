import torch
import triton
import triton.language as tl


@triton.jit
def column_kernel(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    mask = c < columns
    x = tl.load(x_ptr + row * columns + c, mask=mask, other=0.0)
    total = tl.load(out_ptr + c, mask=mask, other=0.0)  # expect: read-after-write
    tl.atomic_add(out_ptr + c, total + x, mask=mask)


def column_sum(x):
    rows, columns = x.shape
    out = torch.zeros(columns, device=x.device, dtype=torch.float32)
    BLOCK = triton.next_power_of_2(columns)
    column_kernel[(rows,)](x, out, columns, BLOCK=BLOCK)
    return out
