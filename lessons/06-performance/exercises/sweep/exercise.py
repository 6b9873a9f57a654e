"""A sweep of the learner's own: which of the configurations is best, if the noise lets one say it."""

import statistics
from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random

from triton.runtime.errors import OutOfResources

from tritontui.runner.host_code.trials import described
from tritontui.runner.spec import Exercise, Trial, Words, Wrong

SAMPLES = 30


@dataclass(frozen=True)
class Kernel:
    """How one configuration behaves: times around ``middle`` ms, with a share of ``noise``."""

    middle: float
    noise: float = 0.01
    strays: tuple[float, ...] = ()
    """Samples in the place of others, in ms."""


TOO_LARGE = None
"""A configuration that the device can't launch."""


@dataclass
class Benchmark:
    """What the learner's function measures with; remembers what it said."""

    kernels: Mapping[tuple[int, int], Kernel | None]
    given: dict = field(default_factory=dict)

    def __call__(self, config):
        if config not in self.kernels:
            raise KeyError(f"{config!r} isn't one of the configurations")
        kernel = self.kernels[config]
        if kernel is TOO_LARGE:
            raise OutOfResources(262_144, 232_448, "shared memory")
        random = Random(f"{config} {len(self.given)}")
        times = [
            kernel.middle * (1 + kernel.noise * random.uniform(-1, 1)) for _ in range(SAMPLES - len(kernel.strays))
        ]
        times += kernel.strays
        random.shuffle(times)
        self.given.setdefault(config, []).extend(times)
        return times


@dataclass(frozen=True)
class Situation:
    name: Words
    kernels: Mapping[tuple[int, int], Kernel | None]
    best: list[tuple[int, int]]


SITUATIONS = [
    Situation(
        Words("one is clearly faster", "una è chiaramente più veloce"),
        {(64, 4): Kernel(0.52), (256, 4): Kernel(0.41), (1024, 4): Kernel(0.45)},
        [(256, 4)],
    ),
    Situation(
        Words("two within the noise", "due dentro il rumore"),
        {(64, 4): Kernel(0.52), (256, 4): Kernel(0.414, 0.02), (512, 4): Kernel(0.412, 0.02), (1024, 8): Kernel(0.6)},
        [(256, 4), (512, 4)],
    ),
    Situation(
        Words("one lucky sample", "un campione fortunato"),
        {(128, 2): Kernel(0.47, strays=(0.3,)), (256, 4): Kernel(0.41)},
        [(256, 4)],
    ),
    Situation(
        Words("the best one was disturbed", "la migliore è stata disturbata"),
        {(128, 2): Kernel(0.47), (256, 4): Kernel(0.41, strays=(17.0, 17.1)), (512, 8): Kernel(0.5)},
        [(256, 4)],
    ),
    Situation(
        Words("one that nobody can tell", "una di cui non si può dire"),
        {(256, 4): Kernel(0.41), (512, 4): Kernel(0.43, 0.12), (1024, 4): Kernel(0.5)},
        [(256, 4), (512, 4)],
    ),
    Situation(
        Words("the fastest one is the noisiest", "la più veloce è la più rumorosa"),
        {(256, 4): Kernel(0.42), (512, 4): Kernel(0.4, 0.15), (1024, 4): Kernel(0.428), (2048, 4): Kernel(0.55)},
        [(256, 4), (512, 4), (1024, 4)],
    ),
    Situation(
        Words("some can't be launched", "alcune non si possono lanciare"),
        {(65536, 4): TOO_LARGE, (256, 4): Kernel(0.41), (512, 4): Kernel(0.46), (32768, 8): TOO_LARGE},
        [(256, 4)],
    ),
    Situation(
        Words("none can be launched", "nessuna si può lanciare"),
        {(65536, 4): TOO_LARGE, (32768, 8): TOO_LARGE},
        [],
    ),
]

# ---------------------------------------------------------------- what was wrong, in words


def misuse(en, it, line=None):
    return Wrong(Words(en, it), id="benchmark-misuse", line=line)


def number(value, language):
    return f"{value:.3g}" if language == "en" else f"{value:.3g}".replace(".", ",")


def figures(benchmark, config, language):
    """``(256, 4)`` 0.41 ms (most of them 0.406 to 0.414): the median, and the quantiles 0.2 and 0.8."""
    low, middle, high = quantiles(benchmark.given[config])
    between, and_ = ("most of them", "to") if language == "en" else ("per lo più da", "a")
    low, middle, high = (number(value, language) for value in (low, middle, high))
    return f"`{config}` {middle} ms ({between} {low} {and_} {high})"


def quantiles(times):
    ordered = sorted(times)
    return ordered[len(ordered) // 5], statistics.median(ordered), ordered[-1 - len(ordered) // 5]


def trial(situation):
    def run(examiner):
        benchmark = Benchmark(situation.kernels)
        answer = examiner.call(list(situation.kernels), benchmark)
        if answer.error is not None:
            return of_error(situation, answer)
        chosen = answer.result
        if not isinstance(chosen, (list, tuple, set)) or any(config not in situation.kernels for config in chosen):
            return misuse(
                f"`sweep` returned `{described(chosen)}`. The contract wants a list of configurations, even of one.",
                f"`sweep` ha restituito `{described(chosen)}`. Il contratto vuole una lista di configurazioni, anche "
                "di "
                "una sola.",
                answer.line,
            )
        if set(chosen) == set(situation.best):
            return None
        return wrong_choice(situation, benchmark, list(chosen), answer)

    return Trial(situation.name, run)


def of_error(situation, answer):
    if isinstance(answer.error, OutOfResources):
        return misuse(
            "The device can't launch every configuration: here `benchmark` raised OutOfResources, and it went through "
            "`sweep`. One that doesn't run is out of the race, and the others go on.",
            "Non tutte le configurazioni si possono lanciare: qui `benchmark` ha sollevato OutOfResources, che ha "
            "attraversato `sweep`. Quella che non gira è fuori gara, e le altre continuano.",
            answer.line,
        )
    if not situation.best and answer.own_error:
        return misuse(
            f"No configuration could be launched, and `sweep` ended in a {type(answer.error).__name__}. Nobody won: "
            "the "
            "list is empty.",
            f"Nessuna configurazione si è potuta lanciare, e `sweep` è finita in un {type(answer.error).__name__}. Non "
            "ha vinto nessuna: la lista è vuota.",
            answer.line,
        )
    return answer.error


def wrong_choice(situation, benchmark, chosen, answer):
    unmeasured = [config for config in (*chosen, *situation.best) if config not in benchmark.given]
    if unmeasured:
        return misuse(
            f"`{unmeasured[0]}` was never measured, or can't be launched.",
            f"`{unmeasured[0]}` non è mai stata misurata, o non si può lanciare.",
            answer.line,
        )
    right = situation.best
    missing = [config for config in right if config not in chosen]
    extra = [config for config in chosen if config not in right]
    if not chosen:
        said = ("It named none, though some ran.", "Non ne ha nominata nessuna, eppure qualcuna è girata.")
        return misuse(*said, answer.line)
    if missing and extra:
        lucky = min(benchmark.given[extra[0]])
        return misuse(
            f"It chose {figures(benchmark, extra[0], 'en')} over {figures(benchmark, missing[0], 'en')}. "
            f"{stray(benchmark, extra[0], missing[0], lucky).en}",
            f"Ha preferito {figures(benchmark, extra[0], 'it')} a {figures(benchmark, missing[0], 'it')}. "
            f"{stray(benchmark, extra[0], missing[0], lucky).it}",
            answer.line,
        )
    if missing:
        best = min(right, key=lambda config: statistics.median(benchmark.given[config]))
        other = missing[0] if missing[0] != best else chosen[0]
        named = ", ".join(f"`{config}`" for config in chosen)
        return misuse(
            f"It chose {named}, and not `{missing[0]}`. But {figures(benchmark, best, 'en')} and "
            f"{figures(benchmark, other, 'en')} overlap: measured again, the other one may win. That is a tie.",
            f"Ha scelto {named}, e non `{missing[0]}`. Ma {figures(benchmark, best, 'it')} e "
            f"{figures(benchmark, other, 'it')} si sovrappongono: a misurare di nuovo può vincere l'altra. È un "
            "pareggio.",
            answer.line,
        )
    return misuse(
        f"It calls a tie between {figures(benchmark, right[0], 'en')} and {figures(benchmark, extra[0], 'en')}. They "
        "don't overlap: the noise is smaller than the difference.",
        f"Dichiara un pareggio fra {figures(benchmark, right[0], 'it')} e {figures(benchmark, extra[0], 'it')}. Non si "
        "sovrappongono: il rumore è più piccolo della differenza.",
        answer.line,
    )


def stray(benchmark, chosen, better, lucky):
    longest = max(benchmark.given[better])
    if longest > 2 * statistics.median(benchmark.given[better]):
        return Words(
            f"Two of the latter's {SAMPLES} samples took {number(longest, 'en')} ms, and pull its mean up.",
            f"Due dei {SAMPLES} campioni di quest'ultima sono durati {number(longest, 'it')} ms, e ne alzano la media.",
        )
    if lucky < min(benchmark.given[better]):
        return Words(
            f"One lucky sample of the former took {number(lucky, 'en')} ms. A single sample says nothing.",
            f"Un campione fortunato della prima è durato {number(lucky, 'it')} ms. Un campione solo non dice niente.",
        )
    return Words("", "")


EXERCISE = Exercise(
    entry="sweep",
    trials_in_lockstep=True,
    trials=[trial(situation) for situation in SITUATIONS],
)
