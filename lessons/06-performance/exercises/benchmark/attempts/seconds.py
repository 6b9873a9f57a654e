import statistics

import torch

WARM_UP = 5
CALLS = 50


def benchmark(fn):  # expect: benchmark-misuse
    cache = torch.empty(256 * 2**20, dtype=torch.int8, device="cuda")
    start = torch.cuda.Event(enable_timing=True)
    end = torch.cuda.Event(enable_timing=True)
    for _ in range(WARM_UP):
        fn()
    times = []
    for _ in range(CALLS):
        cache.zero_()
        start.record()
        fn()
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end))
    return statistics.median(times) / 1e3
