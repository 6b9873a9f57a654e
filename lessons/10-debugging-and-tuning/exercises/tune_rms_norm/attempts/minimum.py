WARM_UP = 2
SAMPLES = 25
TIE = 1.05


def is_right(validate, config):
    try:
        return validate(config)
    except RuntimeError:
        return False


def benchmark(once, config, shape):
    try:
        for _ in range(WARM_UP):
            once(config, shape)
        return min(once(config, shape) for _ in range(SAMPLES))
    except RuntimeError:
        return float("inf")


def tune(configs, shapes, validate, once):  # expect: benchmark-misuse
    right = [config for config in configs if is_right(validate, config)]
    chosen = {}
    for shape in shapes:
        timed = [(benchmark(once, config, shape), config) for config in right]
        best = min((time for time, _ in timed), default=float("inf"))
        if best == float("inf"):
            raise ValueError(f"no configuration is right at {shape}")
        chosen[shape] = next(config for time, config in timed if time <= TIE * best)
    return chosen
