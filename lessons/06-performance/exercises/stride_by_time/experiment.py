"""Every k-th element of a vector: always 2²² elements, further and further apart."""

from tritontui.runner.spec import Experiment, Timing

COUNT = 1 << 22


def yours(point, lab):
    k = point["k"]
    x, gather = lab.randn(COUNT * k), lab.own("gather_stride")
    return Timing(lambda: gather(x, k), bytes=8 * COUNT, expected=lambda: x[::k])


EXPERIMENT = Experiment({"yours": yours})
