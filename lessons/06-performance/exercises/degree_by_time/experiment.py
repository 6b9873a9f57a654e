"""A polynomial of 2²⁷ elements by its degree: the same bytes, more and more arithmetic."""

import torch

from tritontui.runner.spec import Experiment, Timing

N = 1 << 27


def yours(point, lab):
    degree = point["degree"]
    x, polynomial = lab.randn(N).clamp_(-0.9, 0.9), lab.own("polynomial")

    def expected() -> torch.Tensor:
        y = torch.ones_like(x)
        for _ in range(degree):
            y.mul_(x).add_(1)
        return y

    return Timing(lambda: polynomial(x, degree), bytes=2 * x.nbytes, flops=2 * degree * N, expected=expected)


EXPERIMENT = Experiment({"yours": yours})
