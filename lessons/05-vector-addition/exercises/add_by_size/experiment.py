"""The learner's vector_add from 2^10 to 2^26 elements, and PyTorch's own beside it."""

from tritontui.runner.spec import Experiment, Timing


def yours(point, lab):
    x, y, add = lab.randn(point["n"]), lab.randn(point["n"]), lab.own("vector_add")
    return Timing(lambda: add(x, y), bytes=3 * x.nbytes, flops=x.numel(), expected=lambda: x + y)


def pytorch(point, lab):
    x, y = lab.randn(point["n"]), lab.randn(point["n"])
    return Timing(lambda: x + y, bytes=3 * x.nbytes, flops=x.numel())


EXPERIMENT = Experiment({"yours": yours, "pytorch": pytorch})
