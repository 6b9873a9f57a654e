"""A copy by few programs that loop: how many bytes are under way at once, and what the memory makes of it."""

import torch
import triton
import triton.language as tl

from tritontui.runner.spec import Experiment, Timing

N = 1 << 27


@triton.jit
def copy_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    for block in range(pid, tl.cdiv(n, BLOCK), tl.num_programs(0)):
        offs = block * BLOCK + tl.arange(0, BLOCK)
        mask = offs < n
        x = tl.load(x_ptr + offs, mask=mask)
        tl.store(out_ptr + offs, x, mask=mask)


def copy(point, lab):
    x = lab.randn(N)
    out = torch.empty_like(x)
    sms = torch.cuda.get_device_properties(lab.device).multi_processor_count

    def call() -> torch.Tensor:
        copy_kernel[(sms * point["per_sm"],)](x, out, N, BLOCK=point["BLOCK"], num_warps=4)
        return out

    return Timing(call, bytes=2 * x.nbytes, expected=lambda: x)


EXPERIMENT = Experiment({"copy": copy})
