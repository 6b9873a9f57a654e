"""A product of float16 by tile, stages and warps: how much shared memory each target gives it."""

import torch

from tritontui.runner.spec import Case, Exercise

M, N, K = 100, 96, 256


def inputs(case, generator):
    a, b = (torch.randn(shape, generator=generator).to(torch.float16) for shape in ((M, K), (K, N)))
    return [a, b, case["tile"], case["num_stages"], case["num_warps"]]


EXERCISE = Exercise(
    entry="product",
    inputs=inputs,
    trace_case=Case("start", {"tile": "128 × 128 × 64", "num_stages": 3, "num_warps": 8}, seeds=(0,)),
)
