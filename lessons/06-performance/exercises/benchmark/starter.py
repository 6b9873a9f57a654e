import time

import torch


def benchmark(fn):
    begin = time.perf_counter()
    fn()
    end = time.perf_counter()
    return (end - begin) * 1e3
