import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    peak = -float("inf")
    total = 0.0
    for start in range(0, columns, BLOCK):
        c = start + lanes
        x = tl.load(x_ptr + row * columns + c, mask=c < columns, other=-float("inf"))
        higher = tl.maximum(peak, tl.max(x, axis=0))
        peak = higher  # expect: step-too-early
        total = total * tl.exp(peak - higher) + tl.sum(tl.exp(x - higher), axis=0)
    for start in range(0, columns, BLOCK):
        c = start + lanes
        x = tl.load(x_ptr + row * columns + c, mask=c < columns, other=-float("inf"))
        tl.store(out_ptr + row * columns + c, tl.exp(x - peak) / total, mask=c < columns)


def softmax(x):
    rows, columns = x.shape
    out = torch.empty_like(x)
    if rows == 0:
        return out
    softmax_kernel[(rows,)](x, out, columns, BLOCK=4096)
    return out
