import statistics

import torch

WARM_UP = 5
CALLS = 50


def benchmark(fn):  # expect: benchmark-misuse
    start = torch.cuda.Event(enable_timing=True)
    end = torch.cuda.Event(enable_timing=True)
    for _ in range(WARM_UP):
        fn()
    times = []
    for _ in range(CALLS):
        start.record()
        fn()
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end))
    return statistics.median(times)
