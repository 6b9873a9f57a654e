def spread(times):
    times = sorted(times)
    fifth = len(times) // 5
    return times[fifth], times[len(times) // 2], times[-1 - fifth]


def sweep(configs, benchmark):
    found = {}
    for config in configs:
        try:
            found[config] = spread(benchmark(config))
        except Exception:
            continue
    if not found:
        return []
    _, _, limit = min(found.values(), key=lambda figures: figures[2])
    return [config for config, (low, _, _) in found.items() if low <= limit]  # expect: benchmark-misuse
