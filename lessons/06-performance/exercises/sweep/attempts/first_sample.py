def sweep(configs, benchmark):
    found = {}
    for config in configs:
        try:
            found[config] = benchmark(config)[0]
        except Exception:
            continue
    if not found:
        return []
    best = min(found.values())
    return [config for config, time in found.items() if time <= best * 1.02]  # expect: benchmark-misuse
