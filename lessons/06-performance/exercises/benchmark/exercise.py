"""A benchmark of the learner's own, on a device that knows the truth."""

from collections.abc import Callable
from dataclasses import dataclass

from tritontui.runner.host_code.trials import Examiner, described
from tritontui.runner.no_gpu.on_simulated_device import on_simulated_device
from tritontui.runner.no_gpu.simulated_device import CACHE_BYTES, LAUNCH_MS, SimulatedDevice, Work
from tritontui.runner.spec import Exercise, Trial, Words, Wrong

LEAST_CALLS = 20
BELOW, ABOVE = 0.97, 1.03
"""What the noise of the device allows."""
OVERHEAD_MS = LAUNCH_MS + 0.005
"""A host's clock sees the launch and the synchronisation, too. That is allowed."""
DATASHEET_GBPS = 4_800


@dataclass(frozen=True)
class Situation:
    """What the learner's benchmark has to time."""

    name: Words
    work: Work
    moved_bytes: int = 0
    """0: nothing is said of bandwidth."""
    busy: float = 0.0

    @property
    def truth(self):
        return self.work.milliseconds

    def agrees(self, milliseconds):
        return BELOW * self.truth <= milliseconds <= ABOVE * self.truth + OVERHEAD_MS

    def too_short(self, milliseconds):
        return milliseconds < BELOW * self.truth


def disturbed(number):
    """Another process gets the GPU for a while; or its clock is up for a moment."""
    if number % 25 == 1:
        return 16.6
    return -0.06 if number % 7 == 3 else 0.0


ADDITION_BYTES = 3 * 4 * 2**27

SITUATIONS = [
    Situation(Words("an addition of 2²⁷ float32", "una somma di 2²⁷ float32"), Work(0.415), ADDITION_BYTES),
    Situation(
        Words("behind 30 ms of other work", "dietro 30 ms di altro lavoro"), Work(0.415), ADDITION_BYTES, busy=30.0
    ),
    Situation(
        Words("disturbed now and then", "disturbata ogni tanto"), Work(0.415, disturbance=disturbed), ADDITION_BYTES
    ),
    Situation(
        Words("a gather of 30 MB, which L2 holds", "un gather di 30 MB, che in L2 ci stanno"),
        Work(0.12, warm_milliseconds=0.04),
    ),
]

# ---------------------------------------------------------------- what was wrong, in words


@dataclass(frozen=True)
class Told:
    """What one benchmark said, and what the device knows."""

    situation: Situation
    device: SimulatedDevice
    said: float

    @property
    def timed(self):
        """The calls after the first reading of a clock."""
        return [moment for moment in self.device.timed if moment.what == "call"]

    @property
    def opening(self):
        said, truth = self.said, self.situation.truth
        return Words(
            f"`benchmark` said {number(said, 'en')} ms, and a call takes {number(truth, 'en')}.",
            f"`benchmark` ha detto {number(said, 'it')} ms, e una chiamata ne dura {number(truth, 'it')}.",
        )

    def wrong(self, en, it, line=None):
        return misuse(f"{self.opening.en} {en}", f"{self.opening.it} {it}", line)


def number(value, language):
    text = f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"
    return text if language == "en" else text.translate(str.maketrans(",.", ".,"))


def misuse(en, it, line=None):
    return Wrong(Words(en, it), id="benchmark-misuse", line=line)


UNITS = [(1e3, "seconds", "secondi"), (1e-3, "microseconds", "microsecondi"), (1e-6, "nanoseconds", "nanosecondi")]


def wrong_unit(told):
    for factor, en, it in UNITS:
        if told.situation.agrees(told.said * factor):
            return told.wrong(
                f"Those are {en}. The contract wants milliseconds.",
                f"Sono {it}. Il contratto vuole millisecondi.",
            )
    return None


def all_together(told):
    calls = len(told.timed)
    total = sum(call.took for call in told.timed)
    if calls < 2 or not 0.97 * total <= told.said <= 1.1 * total + 1:
        return None
    return told.wrong(
        f"That is what all {calls} timed calls took together. What does one take?",
        f"Tanto sono durate, insieme, tutte le {calls} chiamate misurate. E una?",
    )


def clock_stopped_early(told):
    """A clock was read while the device still worked on what had been called since the reading before."""
    called = False
    for moment in told.device.timed:
        if moment.what == "call":
            called = True
        if moment.what == "read":
            if called and moment.queued > 0.01 and told.situation.too_short(told.said):
                return told.wrong(
                    f"When this line read the clock, the device still had {number(moment.queued, 'en')} ms of work in "
                    f"front of it: a launch returns at once, and nobody waited. {bandwidth(told).en}",
                    f"Quando questa riga ha letto l'orologio, il device aveva ancora {number(moment.queued, 'it')} ms "
                    "di "
                    f"lavoro davanti: un lancio ritorna subito, e nessuno ha aspettato. {bandwidth(told).it}",
                    moment.line,
                )
            called = False
    return None


def bandwidth(told):
    if not told.situation.moved_bytes or told.said <= 0:
        return Words("", "")
    gbps = told.situation.moved_bytes / told.said / 1e6
    return Words(
        f"It would be {number(gbps, 'en')} GB/s, where the datasheet has {DATASHEET_GBPS:,}.",
        f"Sarebbero {number(gbps, 'it')} GB/s, e la scheda tecnica ne dà {number(DATASHEET_GBPS, 'it')}.",
    )


def from_the_cache(told):
    warm = told.situation.work.warm_milliseconds
    if warm is None or not told.situation.too_short(told.said):
        return None
    cleared = sum(moment.took > 0 for moment in told.device.log if moment.what == "work")
    if not cleared:
        return told.wrong(
            f"Each call found its data in L2, where the call before it had left them, and took {number(warm, 'en')} "
            "ms. "
            "Write something large in front of each timed call.",
            f"Ogni chiamata ha trovato i suoi dati in L2, dove li aveva lasciati quella prima, e così è durata "
            f"{number(warm, 'it')} ms. Davanti a ogni chiamata misurata scrivi qualcosa di grande.",
        )
    return told.wrong(
        f"Part of its data was still in L2. Of what you wrote, not enough came between one timed call and the next: "
        f"L2 holds {CACHE_BYTES // 2**20} MB.",
        f"Una parte dei dati era ancora in L2. Fra una chiamata misurata e l'altra non hai scritto abbastanza: L2 "
        "tiene "
        f"{CACHE_BYTES // 2**20} MB.",
    )


def compiled_while_timing(told):
    if told.situation.too_short(told.said) or not any(call.compiled for call in told.timed):
        return None
    milliseconds = number(told.situation.work.compile_milliseconds, "en")
    return told.wrong(
        f"Your clock was running at the first call, which compiles the kernel: {milliseconds} ms, once and never "
        "again.",
        f"Il tuo orologio correva già alla prima chiamata, che compila il kernel: {milliseconds} ms, una volta e mai "
        "più.",
        next(call.line for call in told.timed if call.compiled),
    )


def one_sample(told):
    calls = len(told.timed)
    if calls >= LEAST_CALLS:
        return None
    if calls == 1:
        return told.wrong(
            f"It timed 1 call; the contract wants at least {LEAST_CALLS}. A single sample is what happened once: the "
            "next one will be another.",
            f"Ha misurato 1 chiamata; il contratto ne vuole almeno {LEAST_CALLS}. Un campione solo dice che cosa è "
            "successo una volta: il prossimo sarà diverso.",
        )
    return told.wrong(
        f"It timed {calls} calls; the contract wants at least {LEAST_CALLS}. Of so few, one that is disturbed still "
        "counts for much.",
        f"Ha misurato {calls} chiamate; il contratto ne vuole almeno {LEAST_CALLS}. Se sono poche, una disturbata "
        "conta ancora molto.",
    )


def clock_started_early(told):
    """The first reading of the clock found work that had been queued before."""
    first = next(moment for moment in told.device.timed if moment.what == "read")
    if told.situation.too_short(told.said) or first.queued < 0.01:
        return None
    return told.wrong(
        f"When this line read the clock, {number(first.queued, 'en')} ms of earlier work were still queued, and your "
        "calls had to wait behind it. Let the device finish before you start the clock.",
        f"Quando questa riga ha letto l'orologio, {number(first.queued, 'it')} ms di lavoro precedente erano ancora in "
        "coda, e le tue chiamate hanno dovuto aspettare. Prima di far partire l'orologio, lascia finire il device.",
        first.line,
    )


def clearing_was_timed(told):
    cleared = [moment for moment in told.device.timed if moment.what == "work"]
    if told.situation.too_short(told.said) or not cleared:
        return None
    each = sum(moment.took for moment in cleared) / len(told.timed)
    if not told.situation.agrees(told.said - each):
        return None
    return told.wrong(
        f"Between your two readings lies more than the call: clearing the cache took {number(each, 'en')} ms.",
        f"Fra le tue due letture non c'è solo la chiamata: svuotare la cache è durato {number(each, 'it')} ms.",
        cleared[0].line,
    )


def misled_by_outliers(told):
    outliers = [call for call in told.timed if call.disturbed]
    if not outliers:
        return None
    if told.situation.too_short(told.said):
        return told.wrong(
            "Now and then the GPU's clock is up for a moment. The shortest time is that moment, and not what a call "
            "takes.",
            "Ogni tanto il clock della GPU sale per un momento. Il tempo più breve è quel momento, e non quanto dura "
            "una "
            "chiamata.",
        )
    longest = max(call.took for call in outliers)
    slow = sum(call.took > 1.5 * told.situation.truth for call in outliers)
    return told.wrong(
        f"Of {len(told.timed)} timed calls, {slow} took {number(longest, 'en')} ms, because another process had the "
        "GPU. "
        "A mean is dragged along by each of them; the middle of the sorted times isn't.",
        f"Di {len(told.timed)} chiamate misurate, {slow} {'è durata' if slow == 1 else 'sono durate'} "
        f"{number(longest, 'it')} ms, perché la GPU ce l'aveva un altro processo. Ognuna si trascina dietro la media; "
        "il "
        "valore che sta in mezzo ai tempi ordinati, no.",
    )


def nothing_known(told):
    line = next((moment.line for moment in told.device.timed if moment.what == "read"), None)
    return told.wrong(
        "What else lies between your two readings of the clock?",
        "Che cos'altro c'è fra le tue due letture dell'orologio?",
        line,
    )


CAUSES: list[Callable[[Told], Wrong | None]] = [
    *(wrong_unit, all_together, clock_stopped_early, from_the_cache, compiled_while_timing, one_sample),
    *(clock_started_early, clearing_was_timed, misled_by_outliers, nothing_known),
]

# ---------------------------------------------------------------- a trial

UNFINISHED = "must be completed"
WITHOUT_TIMING = "enable_timing"


def trial(situation):
    def run(examiner):
        device = SimulatedDevice(situation.work, situation.busy)
        simulated = Examiner(
            on_simulated_device(device, examiner.function, examiner.file),
            *(examiner.file, examiner.device, examiner.caller),
        )
        answer = simulated.call(device.call)
        return judged(situation, device, answer)

    return Trial(situation.name, run)


def judged(situation, device, answer):
    asked = next((moment for moment in device.log if moment.what == "do_bench"), None)
    if asked is not None:
        return misuse(
            "`do_bench` does all of this, and from the next lesson on you may let it. Here you write what it does.",
            "`do_bench` fa tutto questo, e dalla prossima lezione puoi affidarti a lei. Qui scrivi tu che cosa fa.",
            asked.line,
        )
    if answer.error is not None:
        return of_error(answer)
    said = answer.result
    said = said.item() if hasattr(said, "item") and getattr(said, "ndim", 1) == 0 else said
    if isinstance(said, bool) or not isinstance(said, (int, float)) or said != said:
        return misuse(
            f"`benchmark` returned `{described(said)}`. The contract wants one number, in milliseconds.",
            f"`benchmark` ha restituito `{described(said)}`. Il contratto vuole un numero, in millisecondi.",
            answer.line,
        )
    told = Told(situation, device, float(said))
    if not device.was_called:
        return told.wrong("It never called `fn`.", "Non ha mai chiamato `fn`.", answer.line)
    if not told.timed:
        return told.wrong(
            "It never read a clock before a call: `time.perf_counter`, or a `torch.cuda.Event`.",
            "Non ha letto nessun orologio prima di una chiamata: `time.perf_counter`, o un `torch.cuda.Event`.",
            answer.line,
        )
    if situation.agrees(told.said):
        return one_sample(told)
    return next(wrong for cause in CAUSES if (wrong := cause(told)) is not None)


def of_error(answer):
    words = str(answer.error)
    if UNFINISHED in words:
        return misuse(
            "An event was asked for its time before the device had got there: what it records lies at its place in the "
            "queue. Synchronise first.",
            "A un evento è stato chiesto il suo tempo prima che il device ci fosse arrivato: quello che registra sta "
            "al "
            "suo posto nella coda. Prima sincronizza.",
            answer.line,
        )
    if WITHOUT_TIMING in words:
        return misuse(
            "An event keeps its time only if it was made with `enable_timing=True`.",
            "Un evento tiene il suo tempo solo se è stato creato con `enable_timing=True`.",
            answer.line,
        )
    return answer.error


EXERCISE = Exercise(
    entry="benchmark",
    trials_in_lockstep=True,
    trials=[trial(situation) for situation in SITUATIONS],
)
