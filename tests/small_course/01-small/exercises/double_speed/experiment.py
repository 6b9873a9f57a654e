"""Doubling a vector: PyTorch's own, and the learner's."""

import torch

from tritontui.runner.spec import Experiment, Timing


def eager(point, lab):
    x = lab.randn(point["n"])
    out = torch.empty_like(x)
    return Timing(lambda: torch.mul(x, 2, out=out), bytes=2 * x.nbytes, flops=x.numel())


def yours(point, lab):
    x, double = lab.randn(point["n"]), lab.own("double_it")
    return Timing(lambda: double(x), bytes=2 * x.nbytes, flops=x.numel(), expected=lambda: 2 * x)


EXPERIMENT = Experiment({"eager": eager, "yours": yours})
