import torch
import triton
import triton.language as tl

DTYPES = (torch.float16, torch.bfloat16, torch.float32)


@triton.jit
def rms_norm_kernel(r_ptr, x_ptr, w_ptr, out_ptr, r_stride, x_stride, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    c = tl.arange(0, BLOCK)
    mask = c < columns
    at = r_ptr + row * r_stride + c
    x = tl.load(x_ptr + row * x_stride + c, mask=mask)  # expect: masked-load-without-other
    r = tl.load(at, mask=mask).to(tl.float32) + x.to(tl.float32)
    tl.store(at, r, mask=mask)
    weight = tl.load(w_ptr + c, mask=mask, other=0.0).to(tl.float32)
    mean = tl.sum(r * r, axis=0) / columns
    out = r * tl.rsqrt(mean + eps) * weight
    tl.store(out_ptr + row * columns + c, out, mask=mask)


def check(residual, x, weight):
    if residual.dim() != 2:
        raise ValueError(f"residual has {residual.dim()} axes, not 2")
    rows, columns = residual.shape
    if x.shape != residual.shape:
        raise ValueError(f"x is {tuple(x.shape)}, residual {tuple(residual.shape)}")
    if weight.shape != (columns,):
        raise ValueError(f"weight is {tuple(weight.shape)}, not ({columns},)")
    if residual.dtype not in DTYPES:
        raise TypeError(f"residual is {residual.dtype}")
    for name, tensor in (("residual", residual), ("x", x), ("weight", weight)):
        if not tensor.is_cuda:
            raise ValueError(f"{name} is on {tensor.device}, not on a GPU")
        if tensor.dtype != residual.dtype:
            raise TypeError(f"{name} is {tensor.dtype}, residual {residual.dtype}")
        if columns > 1 and tensor.stride(-1) != 1:
            raise ValueError(f"{name}: the columns of a row aren't adjacent")
    if rows > 1 and residual.stride(0) < columns:
        raise ValueError("residual: rows lie on one another")


def rms_norm(residual, x, weight, eps=1e-6):
    check(residual, x, weight)
    rows, columns = residual.shape
    out = torch.empty((rows, columns), dtype=residual.dtype, device=residual.device)
    if out.numel():
        block = triton.next_power_of_2(columns)
        warps = min(max(block // 256, 1), 16)
        strides = residual.stride(0), x.stride(0)
        rms_norm_kernel[(rows,)](residual, x, weight, out, *strides, columns, eps, BLOCK=block, num_warps=warps)
    return residual, out
