"""relu(a * x + b) in three eager operators and in one fused kernel; a and b are numbers, or tensors as large as x."""

import torch
import triton
import triton.language as tl

from tritontui.runner.spec import Experiment, Timing

BLOCK = 1024


@triton.jit
def fused_kernel(x_ptr, a_ptr, b_ptr, a, b, out_ptr, n, TENSORS: tl.constexpr, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    if TENSORS:
        a = tl.load(a_ptr + offs, mask=mask)
        b = tl.load(b_ptr + offs, mask=mask)
    tl.store(out_ptr + offs, tl.maximum(a * x + b, 0.0), mask=mask)


def fused_call(x, a, b, tensors):
    out = torch.empty_like(x)
    grid = (triton.cdiv(x.numel(), BLOCK),)
    pointers, numbers = ((a, b), (0.0, 0.0)) if tensors else ((x, x), (a, b))
    fused_kernel[grid](x, *pointers, *numbers, out, x.numel(), TENSORS=tensors, BLOCK=BLOCK)
    return out


def operands(point, lab):
    n, tensors = point["n"], point["form"] == "tensors"
    x = lab.randn(n)
    a, b = (lab.randn(n), lab.randn(n)) if tensors else (1.5, 0.25)
    return x, a, b, tensors


def eager(point, lab):
    """a * x and + b read one tensor and write one, or read two; relu reads one and writes one."""
    x, a, b, tensors = operands(point, lab)
    return Timing(lambda: torch.relu(a * x + b), bytes=(8 if tensors else 6) * x.nbytes, flops=3 * x.numel())


def fused(point, lab):
    x, a, b, tensors = operands(point, lab)
    return Timing(
        lambda: fused_call(x, a, b, tensors),
        bytes=(4 if tensors else 2) * x.nbytes,
        flops=3 * x.numel(),
    )


EXPERIMENT = Experiment({"eager": eager, "fused": fused})
