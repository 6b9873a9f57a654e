"""Choosing configurations of a kernel by shape, where the truth about each is known."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from tritontui.runner.host_code.trials import Examiner, described
from tritontui.runner.spec import Exercise, Trial, Words, Wrong

TIE = 1.05
FEWEST_CALLS = 10
MOST_CALLS = 200
"""Of one configuration at one shape: what a search may cost."""
NOISE = 0.03
"""Samples lie within this share of the truth, on either side."""
PREFILL, DECODE, SHORT = (16384, 4096), (16, 4096), (524288, 128)


def config(rows, warps):
    return {"ROWS": rows, "num_warps": warps}


@dataclass(frozen=True)
class Candidate:
    """One configuration, and the truth about it."""

    config: dict
    times: dict
    """ms by shape; None: it doesn't fit there."""
    right: bool = True
    fits: bool = True
    compile_ms: float = 0.0
    raises: bool = False
    """It can be timed, and doesn't fit where its results are looked at."""
    odd: Callable[[int], float] = lambda number: 1.0
    """By how much the sample of that number is multiplied."""


def fast_now_and_then(number):
    """The clock is up for a moment."""
    return 0.7 if number % 9 == 4 else 1.0


def disturbed(number):
    """Another process has the GPU for a while."""
    return 60.0 if number % 12 == 5 else 1.0


@dataclass
class Device:
    """What a search is handed; notes what it asks for."""

    candidates: list
    calls: Counter = field(default_factory=Counter)

    def __post_init__(self):
        self._random = Random(10)

    def find(self, config):
        found = next((candidate for candidate in self.candidates if candidate.config == config), None)
        if found is None:
            raise TypeError(f"{config!r} is none of the configurations")
        return found

    def validate(self, config):
        candidate = self.find(config)
        if not candidate.fits or candidate.raises:
            raise RuntimeError("out of resource: shared memory, Required: 294912, Hardware limit: 232448")
        return candidate.right

    def once(self, config, shape):
        candidate = self.find(config)
        truth = candidate.times.get(shape)
        if not candidate.fits or truth is None:
            raise RuntimeError("out of resource: shared memory, Required: 294912, Hardware limit: 232448")
        key = self.candidates.index(candidate), shape
        self.calls[key] += 1
        number = self.calls[key]
        if number == 1:
            return truth + candidate.compile_ms
        return truth * candidate.odd(number) * (1 + NOISE * self._random.uniform(-1, 1))

    def chosen(self, shape):
        """The right answer: None when there is none."""
        able = [c for c in self.candidates if c.right and not c.raises and c.fits and c.times.get(shape) is not None]
        best = min((c.times[shape] for c in able), default=0.0)
        return next((c for c in able if c.times[shape] <= TIE * best), None)


# ---------------------------------------------------------------- what may go wrong


def name(config):
    return "`" + ", ".join(f"{key}={value}" for key, value in config.items()) + "`"


def number(value, language):
    text = f"{value:.3g}"
    return text if language == "en" else text.replace(".", ",")


TIED = Words(
    "Within 5% it is a tie, and a tie goes to the one that stands earlier in the list.",
    "Entro il 5% è un pareggio, e un pareggio va a quella che sta prima nella lista.",
)
ITS_OWN = Words(
    "What is best at one shape isn't at another.",
    "La migliore con una forma non lo è con un'altra.",
)


def trial(words, candidates, shapes, *, noticed=ITS_OWN):
    """``noticed``: what somebody has overlooked who answers wrongly."""

    def run(examiner: Examiner):
        device = Device(candidates)
        configs = [dict(candidate.config) for candidate in candidates]
        answer = examiner.call(configs, list(shapes), device.validate, device.once)
        if answer.error is not None:
            return of_error(answer, device, shapes)
        return judged(answer, device, shapes, noticed)

    return Trial(words, run)


def without_any(device, shapes):
    return [shape for shape in shapes if device.chosen(shape) is None]


def of_error(answer, device, shapes):
    if without_any(device, shapes) and answer.own_error and isinstance(answer.error, (ValueError, RuntimeError)):
        return None
    if answer.own_error or not str(answer.error).startswith("out of resource"):
        return answer.error
    return Wrong(
        Words(
            "One configuration doesn't fit, and its error ended the whole search. That one is out; the others are not.",
            "Una configurazione non ci sta, e il suo errore ha fermato tutta la ricerca. È fuori lei; le altre no.",
        ),
        line=answer.line,
    )


def judged(answer, device, shapes, noticed):
    said = answer.result
    impossible = without_any(device, shapes)
    if impossible:
        return Wrong(
            Words(
                f"No configuration is right at {impossible[0]}, and `tune` returned {described(said)}. "
                "Raise a ValueError.",
                f"Con {impossible[0]} nessuna configurazione è giusta, e `tune` ha restituito {described(said)}. "
                "Solleva un ValueError.",
            ),
            line=answer.line,
        )
    if not isinstance(said, dict) or set(said) != set(shapes):
        return Wrong(
            Words(
                f"`tune` returned {described(said)}. It should return a dict with a configuration for each of "
                f"{list(shapes)}.",
                f"`tune` ha restituito {described(said)}. Deve restituire un dict con una configurazione per ognuna di "
                f"{list(shapes)}.",
            ),
            line=answer.line,
        )
    for shape in shapes:
        wrong = at_shape(said[shape], shape, answer, device, noticed)
        if wrong is not None:
            return wrong
    return too_few_calls(said, shapes, device) or too_many_calls(device)


def at_shape(given, shape, answer, device, noticed):
    right = device.chosen(shape)
    if given == right.config:
        return None
    candidate = next((c for c in device.candidates if c.config == given), None)
    if candidate is None:
        return Wrong(
            Words(
                f"At {shape} `tune` chose {described(given)}, which is none of the configurations.",
                f"Con {shape} `tune` ha scelto {described(given)}, che non è una delle configurazioni.",
            ),
            line=answer.line,
        )
    return why(candidate, right, shape, device, noticed)


def why(given, right, shape, device, noticed):
    calls = device.calls[device.candidates.index(given), shape]
    if not given.right:
        return Wrong(
            Words(
                f"{name(given.config)} is the fastest at {shape}, and wrong: `validate` says False. "
                "A time is worth something once the result is right.",
                f"{name(given.config)} è la più veloce con {shape}, ed è sbagliata: `validate` dice False. "
                "Un tempo vale qualcosa solo se il risultato è giusto.",
            )
        )
    if given.raises:
        return Wrong(
            Words(
                f"{name(given.config)} is the fastest at {shape}, and `validate` raised: nobody knows whether it is "
                "right. A time is worth something once the result is right.",
                f"{name(given.config)} è la più veloce con {shape}, e `validate` ha sollevato un errore: nessuno sa "
                "se è giusta. Un tempo vale qualcosa solo se il risultato è giusto.",
            )
        )
    if not given.fits or given.times.get(shape) is None:
        return Wrong(
            Words(
                f"{name(given.config)} doesn't even start at {shape}.",
                f"{name(given.config)} con {shape} nemmeno parte.",
            )
        )
    took, best = given.times[shape], right.times[shape]
    truth = Words(
        f"At {shape} `tune` chose {name(given.config)}, of which you took {calls} samples. In truth a call takes "
        f"{number(took, 'en')} ms, and with {name(right.config)} {number(best, 'en')}.",
        f"Con {shape} `tune` ha scelto {name(given.config)}, dopo {calls} campioni. In verità una chiamata dura "
        f"{number(took, 'it')} ms, e con {name(right.config)} {number(best, 'it')}.",
    )
    cause = TIED if took <= TIE * best else noticed
    said = Words(f"{truth.en} {cause.en}", f"{truth.it} {cause.it}")
    return Wrong(said, id="wrapper-contract" if cause in (TIED, ITS_OWN) else "benchmark-misuse")


def too_few_calls(said, shapes, device):
    for shape in shapes:
        chosen = device.find(said[shape])
        calls = device.calls[device.candidates.index(chosen), shape]
        if calls < FEWEST_CALLS:
            return Wrong(
                Words(
                    f"At {shape} `tune` chose {name(chosen.config)} after {calls} calls. That is luck: samples "
                    f"vary by {NOISE:.0%} here, and the contract wants {FEWEST_CALLS}.",
                    f"Con {shape} `tune` ha scelto {name(chosen.config)} dopo {calls} chiamate. È fortuna: qui "
                    f"i campioni oscillano del {NOISE * 100:.0f}%, e il contratto ne vuole {FEWEST_CALLS}.",
                ),
                id="benchmark-misuse",
            )
    return None


def too_many_calls(device):
    (index, shape), calls = max(device.calls.items(), key=lambda item: item[1], default=((0, None), 0))
    if calls <= MOST_CALLS:
        return None
    config = device.candidates[index].config
    return Wrong(
        Words(
            f"{name(config)} was called {calls} times at {shape}. The contract allows {MOST_CALLS}: a search has to be "
            "paid for, at every shape.",
            f"{name(config)} è stata chiamata {calls} volte con {shape}. Il contratto ne permette {MOST_CALLS}: una "
            "ricerca si paga, a ogni forma.",
        ),
    )


# ---------------------------------------------------------------- trials

EXERCISE = Exercise(
    entry="tune",
    trials_in_lockstep=True,
    trials=[
        trial(
            Words("one is faster", "una è più veloce"),
            [
                Candidate(config(1, 4), {PREFILL: 0.17}, compile_ms=90.0),
                Candidate(config(1, 16), {PREFILL: 0.13}, compile_ms=400.0),
                Candidate(config(4, 4), {PREFILL: 0.19}, compile_ms=120.0),
            ],
            [PREFILL],
            noticed=Words(
                "The first call compiles, here for 90 ms and there for 400: it tells nothing of the kernel.",
                "La prima chiamata compila, qui per 90 ms e là per 400: non dice niente del kernel.",
            ),
        ),
        trial(
            Words("each shape has its own", "ogni forma ha la sua"),
            [
                Candidate(config(1, 4), {PREFILL: 0.17, DECODE: 0.0042, SHORT: 0.31}),
                Candidate(config(1, 16), {PREFILL: 0.13, DECODE: 0.0036, SHORT: 0.92}),
                Candidate(config(16, 4), {PREFILL: 0.41, DECODE: 0.0121, SHORT: 0.14}),
            ],
            [PREFILL, DECODE, SHORT],
        ),
        trial(
            Words("a tie", "un pareggio"),
            [
                Candidate(config(1, 8), {PREFILL: 0.1315}),
                *(
                    Candidate(config(rows, warps), {PREFILL: 0.1315 - 0.0004 * place})
                    for place, (rows, warps) in enumerate([(1, 4), (2, 4), (2, 8), (2, 16), (4, 8), (1, 16)])
                ),
            ],
            [PREFILL],
        ),
        trial(
            Words("the fastest is wrong", "la più veloce è sbagliata"),
            [
                Candidate(config(1, 4), {PREFILL: 0.17}),
                Candidate(config(1, 32), {PREFILL: 0.08}, right=False),
                Candidate(config(1, 16), {PREFILL: 0.13}),
            ],
            [PREFILL],
        ),
        trial(
            Words("the fastest can't be validated", "la più veloce non si può convalidare"),
            [
                Candidate(config(1, 4), {PREFILL: 0.17}),
                Candidate(config(2, 32), {PREFILL: 0.08}, raises=True),
                Candidate(config(1, 16), {PREFILL: 0.13}),
            ],
            [PREFILL],
        ),
        trial(
            Words("some don't fit", "qualcuna non ci sta"),
            [
                Candidate(config(64, 4), {PREFILL: 0.05, SHORT: 0.05}, fits=False),
                Candidate(config(16, 4), {PREFILL: None, SHORT: 0.14}),
                Candidate(config(1, 16), {PREFILL: 0.13, SHORT: 0.92}),
            ],
            [PREFILL, SHORT],
        ),
        trial(
            Words("a clock that is up now and then", "un clock che ogni tanto sale"),
            [
                Candidate(config(1, 16), {PREFILL: 0.13}),
                Candidate(config(1, 4), {PREFILL: 0.16}, odd=fast_now_and_then),
            ],
            [PREFILL],
            noticed=Words(
                "Now and then the GPU's clock is up for a moment, and a sample is much too short. The middle of the "
                "sorted times doesn't mind.",
                "Ogni tanto il clock della GPU sale per un momento, e un campione è troppo corto. A quello che sta in "
                "mezzo ai tempi ordinati non importa.",
            ),
        ),
        trial(
            Words("another process on the GPU", "un altro processo sulla GPU"),
            [
                Candidate(config(1, 4), {PREFILL: 0.17}),
                Candidate(config(1, 16), {PREFILL: 0.13}, odd=disturbed),
            ],
            [PREFILL],
            noticed=Words(
                "Now and then another process has the GPU, and a sample is much too long. The middle of the sorted "
                "times doesn't mind.",
                "Ogni tanto la GPU ce l'ha un altro processo, e un campione è troppo lungo. A quello che sta in mezzo "
                "ai tempi ordinati non importa.",
            ),
        ),
        trial(
            Words("none is right", "nessuna è giusta"),
            [
                Candidate(config(1, 4), {PREFILL: 0.17}, right=False),
                Candidate(config(64, 4), {PREFILL: 0.05}, fits=False),
            ],
            [PREFILL],
        ),
        trial(
            Words("no shapes", "nessuna forma"),
            [Candidate(config(1, 4), {PREFILL: 0.17})],
            [],
        ),
    ],
)
