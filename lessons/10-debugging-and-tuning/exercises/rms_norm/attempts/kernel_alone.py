import torch
import triton
import triton.language as tl

DTYPES = (torch.float16, torch.bfloat16, torch.float32)


@triton.jit
def rms_norm_kernel(r_ptr, x_ptr, w_ptr, out_ptr, r_stride, x_stride, columns, eps, BLOCK: tl.constexpr):  # expect: entry-missing
    row = tl.program_id(0).to(tl.int64)
    c = tl.arange(0, BLOCK)
    mask = c < columns
    at = r_ptr + row * r_stride + c
    x = tl.load(x_ptr + row * x_stride + c, mask=mask, other=0.0)
    r = tl.load(at, mask=mask, other=0.0).to(tl.float32) + x.to(tl.float32)
    tl.store(at, r, mask=mask)
    weight = tl.load(w_ptr + c, mask=mask, other=0.0).to(tl.float32)
    mean = tl.sum(r * r, axis=0) / columns
    out = r * tl.rsqrt(mean + eps) * weight
    tl.store(out_ptr + row * columns + c, out, mask=mask)
