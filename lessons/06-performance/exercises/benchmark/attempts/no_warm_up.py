import torch

CALLS = 50


def benchmark(fn):
    cache = torch.empty(256 * 2**20, dtype=torch.int8, device="cuda")
    start = torch.cuda.Event(enable_timing=True)
    end = torch.cuda.Event(enable_timing=True)
    times = []
    for _ in range(CALLS):
        cache.zero_()
        start.record()
        fn()  # expect: benchmark-misuse
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end))
    return sum(times) / len(times)
