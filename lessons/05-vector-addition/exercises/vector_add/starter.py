import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    # 1. offs = …
    # 2. mask = …
    # 3. x = …
    #    y = …
    # 4. x + y
    # 5. tl.store(…)


def add(x, y):
    out = torch.empty_like(x)
    n = out.numel()
    if n == 0:
        return out
    grid = (triton.cdiv(n, 256),)
    add_kernel[grid](x, y, out, n, BLOCK=256)
    return out
