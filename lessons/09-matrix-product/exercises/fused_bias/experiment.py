"""A product with a bias in float16: the learner's, PyTorch's fused one, and PyTorch's in two calls."""

import torch

from tritontui.runner.spec import Experiment, Timing


def operands(point, lab):
    n = point["n"]
    return [lab.randn(*shape, dtype=torch.float16) for shape in ((n, n), (n, n), (n,))]


def timing(call, a, **more):
    n = a.shape[0]
    return Timing(call, bytes=3 * a.nbytes, flops=2 * n**3, **more)


def yours(point, lab):
    a, b, bias = operands(point, lab)
    matmul_bias = lab.own("matmul_bias")
    return timing(lambda: matmul_bias(a, b, bias), a, expected=lambda: torch.addmm(bias, a, b))


def fused(point, lab):
    a, b, bias = operands(point, lab)
    return timing(lambda: torch.addmm(bias, a, b), a)


def two_calls(point, lab):
    a, b, bias = operands(point, lab)
    return timing(lambda: torch.mm(a, b) + bias, a)


def product_alone(point, lab):
    a, b, _ = operands(point, lab)
    return timing(lambda: torch.mm(a, b), a)


EXPERIMENT = Experiment({"yours": yours, "fused": fused, "two": two_calls, "alone": product_alone})
