"""Softmax of 2²⁶ elements in three ways, by the length of a row."""

import torch

from tritontui.runner.spec import Experiment, Timing

ELEMENTS = 1 << 26


def rows_of(columns, lab):
    return lab.randn(ELEMENTS // columns, columns)


def eager(point, lab):
    x = rows_of(point["columns"], lab)

    def call() -> torch.Tensor:
        peak = x.max(dim=1, keepdim=True).values
        shifted = x - peak
        e = shifted.exp()
        total = e.sum(dim=1, keepdim=True)
        return e / total

    return Timing(call, bytes=2 * x.nbytes, flops=5 * x.numel(), expected=lambda: torch.softmax(x, dim=1))


def library(point, lab):
    x = rows_of(point["columns"], lab)
    return Timing(lambda: torch.softmax(x, dim=1), bytes=2 * x.nbytes, flops=5 * x.numel())


def yours(point, lab):
    x, softmax = rows_of(point["columns"], lab), lab.own("softmax")
    return Timing(lambda: softmax(x), bytes=2 * x.nbytes, flops=5 * x.numel(), expected=lambda: torch.softmax(x, dim=1))


EXPERIMENT = Experiment({"yours": yours, "library": library, "eager": eager})
