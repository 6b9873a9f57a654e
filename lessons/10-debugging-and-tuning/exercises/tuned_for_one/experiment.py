"""Residual + RMSNorm of bfloat16: the configuration that is best at one shape, at that shape and at others."""

from functools import cache, partial

import torch
import triton
import triton.language as tl

from tritontui.runner.spec import Experiment, Timing

CONFIGS = [{"ROWS": rows, "num_warps": warps} for rows in (1, 4) for warps in (1, 4, 16)]
SEARCH_MS = 20
"""Of do_bench for each configuration."""


@triton.jit
def rms_norm_kernel(r_ptr, x_ptr, w_ptr, out_ptr, rows, columns, eps, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = (tl.program_id(0) * ROWS + tl.arange(0, ROWS)).to(tl.int64)[:, None]
    c = tl.arange(0, BLOCK)[None, :]
    mask = (row < rows) & (c < columns)
    at = row * columns + c
    x = tl.load(x_ptr + at, mask=mask, other=0.0).to(tl.float32)
    r = tl.load(r_ptr + at, mask=mask, other=0.0).to(tl.float32) + x
    tl.store(r_ptr + at, r, mask=mask)
    weight = tl.load(w_ptr + c, mask=c < columns, other=0.0).to(tl.float32)
    mean = tl.sum(r * r, axis=1, keep_dims=True) / columns
    tl.store(out_ptr + at, r * tl.rsqrt(mean + eps) * weight, mask=mask)


class Problem:
    """One shape, ``"16k × 4k"``. ``x`` is 0: ``residual`` is the same after every call, and a byte is a byte."""

    def __init__(self, shape, device):
        rows, columns = (int(size.replace("k", "")) << 10 * size.count("k") for size in shape.split(" × "))
        self.residual = torch.randn(rows, columns, dtype=torch.bfloat16, device=device)
        self.x = torch.zeros_like(self.residual)
        self.weight = torch.randn(columns, dtype=torch.bfloat16, device=device)
        self.out = torch.empty_like(self.residual)

    def run(self, config):
        rows, columns = self.residual.shape
        grid = (triton.cdiv(rows, config["ROWS"]),)
        block = triton.next_power_of_2(columns)
        tensors = self.residual, self.x, self.weight, self.out
        rms_norm_kernel[grid](*tensors, rows, columns, 1e-6, BLOCK=block, **config)
        return self.out

    def expected(self):
        wide = self.residual.float()
        scale = torch.rsqrt(wide.square().mean(dim=1, keepdim=True) + 1e-6)
        return (wide * scale * self.weight.float()).to(torch.bfloat16)

    def timing(self, call):
        size = self.residual
        return Timing(call, bytes=4 * size.nbytes + self.weight.nbytes, flops=6 * size.numel(), expected=self.expected)


@cache
def best_config(shape, device):
    """Searched for once: the same one at every other shape."""
    problem = Problem(shape, device)
    times = [
        triton.testing.do_bench(partial(problem.run, config), rep=SEARCH_MS, return_mode="median") for config in CONFIGS
    ]
    return CONFIGS[times.index(min(times))]


def tuned(point, lab):
    config = best_config(point["tuned_for"], lab.device)
    problem = Problem(point["shape"], lab.device)
    return problem.timing(partial(problem.run, config))


def yours(point, lab):
    problem, rms_norm = Problem(point["shape"], lab.device), lab.own("rms_norm")
    return problem.timing(lambda: rms_norm(problem.residual, problem.x, problem.weight)[1])


EXPERIMENT = Experiment({"tuned": tuned, "yours": yours})
