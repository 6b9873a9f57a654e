import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    y = tl.load(y_ptr + offs, mask=mask)
    tl.store(out_ptr + offs, x + y, mask=mask)


def overlap(a, b):
    a_end = a.data_ptr() + a.numel() * a.element_size()
    b_end = b.data_ptr() + b.numel() * b.element_size()
    return a.data_ptr() < b_end and b.data_ptr() < a_end


def check(name, tensor, x):
    if not isinstance(tensor, torch.Tensor):
        raise TypeError(f"{name} is a {type(tensor).__name__}, not a tensor")
    if tensor.dtype != x.dtype:
        raise TypeError(f"{name} is {tensor.dtype}, x is {x.dtype}")
    if tensor.shape != x.shape:
        raise ValueError(f"{name} has shape {tuple(tensor.shape)}, x has {tuple(x.shape)}")
    if tensor.device != x.device:
        raise ValueError(f"{name} is on {tensor.device}, x is on {x.device}")
    if not tensor.is_contiguous():
        raise ValueError(f"{name} isn't contiguous: its strides are {tensor.stride()}")


def add_wrapper(x, y, out=None):  # expect: wrapper-contract
    if x.numel() == 0:
        return torch.empty_like(x) if out is None else out
    check("x", x, x)
    check("y", y, x)
    if not x.is_cuda:
        raise ValueError(f"x is on {x.device}, not on a GPU")
    if out is None:
        out = torch.empty_like(x)
    else:
        check("out", out, x)
        for name, tensor in (("x", x), ("y", y)):
            if out.data_ptr() != tensor.data_ptr() and overlap(out, tensor):
                raise ValueError(f"out overlaps {name} without being {name}")
    n = x.numel()
    if n == 0:
        return out
    add_kernel[(triton.cdiv(n, 256),)](x, y, out, n, BLOCK=256)
    return out
