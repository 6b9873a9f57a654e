import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    mask = c < columns
    x = tl.load(x_ptr + row * columns + c, mask=mask, other=-1e6)  # expect: wrong-constant
    e = tl.exp(x - tl.max(x, axis=0))
    total = tl.sum(e, axis=0)
    tl.store(out_ptr + row * columns + c, e / total, mask=mask)


def softmax(x):
    rows, columns = x.shape
    out = torch.empty_like(x)
    BLOCK = triton.next_power_of_2(columns)
    softmax_kernel[(rows,)](x, out, columns, BLOCK=BLOCK)
    return out
