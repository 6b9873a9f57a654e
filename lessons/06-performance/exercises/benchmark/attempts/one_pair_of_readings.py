import time

import torch

CALLS = 100


def benchmark(fn):  # expect: benchmark-misuse
    for _ in range(10):
        fn()
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(CALLS):
        fn()
    torch.cuda.synchronize()
    end = time.perf_counter()
    return (end - begin) / CALLS * 1e3
