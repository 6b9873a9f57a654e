def spread(times):
    times = sorted(times)
    fifth = len(times) // 5
    return times[fifth], times[len(times) // 2], times[-1 - fifth]


def sweep(configs, benchmark):
    found = {}
    for config in configs:
        found[config] = spread(benchmark(config))  # expect: benchmark-misuse
    if not found:
        return []
    _, _, limit = min(found.values(), key=lambda figures: figures[1])
    return [config for config, (low, _, _) in found.items() if low <= limit]
