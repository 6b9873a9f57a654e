import torch
import triton
import triton.language as tl


@triton.jit
def look_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    mask = offs < n
    block = tl.load(x_ptr + offs, mask=mask)
    tl.store(out_ptr + offs, block, mask=mask)


def look(x, view):
    begin = x.data_ptr()
    if view == "x[1:]":
        x = x[1:]
    if view == "x.t()":
        x = x.t()
    print("shape", tuple(x.shape), "strides", x.stride())
    print("dtype", x.dtype, "device", x.device)
    print("address", hex(x.data_ptr()), "where x has", hex(begin))
    print("begins", x.data_ptr() - begin, "bytes further on")
    n = x.numel()
    out = torch.empty(n, device=x.device)
    look_kernel[(1,)](x, out, n, BLOCK=32)
    return out
