import time

import torch

CALLS = 100


def benchmark(fn):
    for _ in range(10):
        fn()
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(CALLS):
        fn()
    end = time.perf_counter()  # expect: benchmark-misuse
    return (end - begin) / CALLS * 1e3
