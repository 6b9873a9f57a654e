import torch
import triton
import triton.language as tl


@triton.jit
def run_time(x_ptr, out_ptr, n, twice, steps, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    if twice:
        x = x + x
    for _ in range(steps):
        x = x * x + 1.0
    tl.store(out_ptr + offs, x, mask=mask)


@triton.jit
def constants(x_ptr, out_ptr, n, twice: tl.constexpr, steps: tl.constexpr, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    if twice:
        x = x + x
    for _ in tl.static_range(steps):
        x = x * x + 1.0
    tl.store(out_ptr + offs, x, mask=mask)


def climb(x, kernel, twice, steps):
    out = torch.empty_like(x)
    n = out.numel()
    chosen = constants if kernel == "constants" else run_time
    chosen[(triton.cdiv(n, 256),)](x, out, n, twice, steps, BLOCK=256)
    return out
