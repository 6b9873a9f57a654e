"""What an exercise's ``exercise.py`` declares: the specification a submission is judged by.

A lesson author imports from here and nowhere else::

    from tritontui.runner.spec import Case, Exercise

    def inputs(case, generator):
        n, dtype = case["n"], case.get("dtype", torch.float32)
        return [torch.randn(n, generator=generator).to(dtype), torch.randn(n, generator=generator).to(dtype)]

    EXERCISE = Exercise(entry="add", kernel="add_kernel", inputs=inputs, reference=lambda x, y: x + y, …)

A kernel that takes strides is tried on each layout that a tensor can have: ``seen_as`` makes them, ``in_each_view`` the
cases.

A measure step's ``experiment.py`` declares an ``Experiment`` instead.

Host code that isn't judged by its values alone (a wrapper that must refuse bad arguments, a validator, a benchmark)
is put on ``trials``, instead of cases or beside them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

import torch

if TYPE_CHECKING:
    from tritontui.runner.host_code.trials import Examiner


@dataclass(frozen=True)
class Tolerance:
    """|got − expected| ≤ atol + rtol·|expected|, in float64."""

    rtol: float
    atol: float
    reason: str
    """Why this much and no more; shown to the learner. English; the Italian one is ``reason_it``."""
    reason_it: str = ""


EXACT = Tolerance(0.0, 0.0, "integers and copies are exact", "interi e copie sono esatti")


@dataclass(frozen=True)
class Case:
    """One input the submission must get right. ``values`` are read by the exercise's ``inputs``."""

    name: str
    values: Mapping[str, Any] = field(default_factory=dict)
    seeds: Sequence[int] = (0, 1)
    """Each seed draws fresh inputs; all must pass."""
    it: str = ""
    """The name in Italian, where it has words to translate."""

    @property
    def names(self) -> dict[str, str]:
        """The name in each language; empty where it needs no translation."""
        return {"en": self.name, "it": self.it} if self.it else {}

    @property
    def said(self) -> str | dict[str, str]:
        """The name as a sentence of a diagnosis takes it."""
        return self.names or self.name

    def __getitem__(self, key: str) -> Any:
        return self.values[key]

    def get(self, key: str, default: Any = None) -> Any:
        return self.values.get(key, default)

    def turned(self, knobs: Mapping[str, Any]) -> Case:
        """The same case with the values of ``knobs``, and named after them."""
        if not knobs:
            return self
        name = ", ".join(f"{knob} = {value}" for knob, value in knobs.items())
        return Case(name, {**self.values, **knobs}, self.seeds)


View = Literal["contiguous", "transposed", "sliced", "every other", "expanded"]
VIEWS: tuple[View, ...] = ("contiguous", "transposed", "sliced", "every other", "expanded")
VIEWS_IT: Mapping[View, str] = {
    "contiguous": "contigua",
    "transposed": "trasposta",
    "sliced": "ritagliata",
    "every other": "una colonna sì e una no",
    "expanded": "espansa",
}

BETWEEN = 77
"""What lies in memory between the elements of a view: a number that no right answer has."""


def seen_as(view: View, tensor: torch.Tensor) -> torch.Tensor:
    """A tensor of the same shape and values as ``tensor`` whose elements lie otherwise in memory.

    ``transposed``: the last two axes change places. ``sliced``: cut out of a larger tensor along every axis, so that
    it doesn't begin where its memory does. ``every other``: every second element along the last axis. ``expanded``:
    the first row stands for every row, with stride 0, so that here the values are others. Raises ValueError for a
    transposed tensor with less than two axes.
    """
    match view:
        case "transposed":
            if tensor.ndim < 2:
                raise ValueError(f"a tensor with {tensor.ndim} axes can't be transposed")
            return tensor.mT.contiguous().mT
        case "sliced":
            around = torch.full([size + 3 for size in tensor.shape], BETWEEN, dtype=tensor.dtype, device=tensor.device)
            inside = around[tuple(slice(1, size + 1) for size in tensor.shape)]
            return inside.copy_(tensor)
        case "every other":
            *outer, last = tensor.shape
            wide = torch.full([*outer, 2 * last], BETWEEN, dtype=tensor.dtype, device=tensor.device)
            return wide[..., ::2].copy_(tensor)
        case "expanded":
            return tensor[:1].contiguous().expand(tensor.shape)
        case _:
            return tensor.contiguous()


def in_each_view(
    name: str,
    values: Mapping[str, Any],
    views: Sequence[View] = VIEWS,
    key: str = "view",
    seeds: Sequence[int] = (0, 1),
    it: str = "",
) -> list[Case]:
    """One case a view, ``"37 × 70, transposed"``; ``inputs`` reads the view's name as ``case[key]``.

    ``name``: where ``{view}`` stands in it, as in ``"37 × 70, from {view}"``, else before it; ``it``: the same in
    Italian, where it has words to translate.
    """
    english, italian = (text if "{view}" in text else f"{text}, {{view}}" for text in (name, it or name))
    return [
        Case(english.format(view=view), {**values, key: view}, seeds, it=italian.format(view=VIEWS_IT[view]))
        for view in views
    ]


@dataclass(frozen=True)
class Words:
    """One text in every language of the course; code stands between backquotes."""

    en: str
    it: str

    def in_each_language(self) -> dict[str, str]:
        return {"en": self.en, "it": self.it}


TrialDiagnosis = Literal[
    "wrapper-contract",
    "validator-misses",
    "validator-rejects-right",
    "benchmark-misuse",
    "autotune-key",
    "autotune-invalid-config",
]


@dataclass(frozen=True)
class Wrong:
    """What a trial found: what was passed and what happened, in a sentence or two."""

    said: Words
    id: TrialDiagnosis = "wrapper-contract"
    line: int | None = None
    """In the submission; None: the ``def`` of the exercise's function."""


@dataclass(frozen=True)
class Trial:
    """One check of host code: the learner's function is called as the trial likes, and what it does is judged.

    ``run`` gets an ``Examiner``, by which it calls the function: launches inside go through the lockstep interpreter
    on the CPU, and for real on a GPU. It returns None (right), a ``Wrong``, or the exception that the function raised
    where none is expected, which is then explained like any other.
    """

    name: Words
    """What is tried, without a full stop."""
    run: Callable[[Examiner], Wrong | Exception | None]


@dataclass(frozen=True)
class Sweep:
    """What is worth varying to see how the speed depends on it. Each mapping's axes are tried in all combinations."""

    launch: Mapping[str, Sequence[int]] = field(default_factory=dict)
    """Constants of the kernel and options of its launch (``num_warps``), in place of the learner's own: the first axis
    is the heat map's rows. A grid that reads ``meta``, or a constant of the same name in the module, follows."""
    sizes: Mapping[str, Sequence[int]] = field(default_factory=dict)
    """Values of the measured case: a curve over size."""


def _not_declared(*_: Any) -> Any:
    raise LookupError("the exercise has a case but no inputs")


@dataclass(frozen=True)
class Exercise:
    """The specification of one exercise: cases, trials, or both."""

    entry: str
    """Host function the submission must define."""
    inputs: Callable[[Case, torch.Generator], list[Any]] = _not_declared
    """Arguments of ``entry`` for a case: CPU tensors (moved to the device by the judge) and scalars."""
    reference: Callable[..., Any] | None = None
    """Right answer from the same arguments; floating tensors arrive in float64 when ``reference_in_float64``. None
    where there are trials alone, and in an exploration: what its kernel does is shown, nothing is right or wrong."""
    cases: Sequence[Case] = ()
    trials: Sequence[Trial] = ()
    """Tried after the cases; each must be right too."""
    trials_in_lockstep: bool = False
    """Only the CPU runs the trials: they break memory on purpose, to which a GPU answers by ending the process, or they
    have a simulated device of their own."""
    trace_case: Case | None = None
    """Small case of the access map: some hundreds of elements, ragged. Knobs that the learner turns replace its values
    of the same names. None: the submission's own kernels, if it has any, are neither traced nor compiled, only trials
    are run."""
    measure_case: Case | None = None
    """Large case; None: not measured. ``inputs`` may make its tensors on the device given in ``case["device"]``."""
    sweep: Sweep | None = None
    """None: the kernel's block and ``num_warps`` around the learner's own, and the measured case's largest size."""
    aliases: Sequence[str] = ()
    """Other names under which ``entry`` is accepted."""
    kernel: str | None = None
    """Name of the kernel that must have written the output; None: any kernel of the submission."""
    tolerances: Mapping[torch.dtype, Tolerance] = field(default_factory=dict)
    """By output dtype; what is missing comes from ``runner.check.DEFAULT_TOLERANCES``."""
    reference_in_float64: bool = True
    ideal_bytes: Callable[..., int] | None = None
    """Least bytes to and from memory for these arguments."""
    ideal_flops: Callable[..., int] | None = None
    reads_per_write: float = 1.0
    """Bytes read per byte written, to choose the ceiling; inf: read only."""
    outputs: Sequence[str] = ()
    """Kernel parameters that must be written whole."""
    written: Sequence[int] = ()
    """Positions of the arguments that ``entry`` fills and returns, in this order; the others stay as they were."""
    baseline: Callable[..., Any] | None = None
    """PyTorch's own operator for the measured case; default: ``reference`` in the inputs' dtype."""
    must_not: Sequence[str] = ()
    """Ids of findings that elsewhere are warnings or notes, and here keep a submission from passing (``uncoalesced``,
    ``recompiles-every-call``). They are said once every case is right, and not before."""
    allowed_host_calls: Sequence[str] = ()
    """torch functions that the contract lets the host code call on the inputs or the output (``contiguous``…)."""

    def __post_init__(self) -> None:
        if self.cases and self.reference is None:
            raise ValueError("cases need a reference")


# ---------------------------------------------------------------- experiments


@dataclass(frozen=True)
class Timing:
    """What is timed at one point."""

    call: Callable[[], object]
    """Made over and over; nothing but what is to be timed."""
    bytes: int = 0
    """That must move to and from memory; 0: no bandwidth is told."""
    flops: int = 0
    """0: no TFLOP/s are told."""
    expected: Callable[[], torch.Tensor] | None = None
    """The right result of ``call``, as far as the same dtype's rounding tells: what is wrong gets no figure. Always to
    be given where the learner's own function is called."""


class Lab(Protocol):
    """What an entry is given."""

    device: torch.device

    def randn(self, *shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
        """Random numbers on the device; the same ones in every run."""
        ...

    def own(self, exercise: str) -> Callable[..., Any]:
        """The learner's function of an exercise that ``uses`` in lesson.toml names (or its solution's)."""
        ...


@dataclass(frozen=True)
class Experiment:
    """What a measure step times: by the names of the entries in lesson.toml, a function from one point's values.

    ::

        def copies(point, lab):
            x = lab.randn(point["n"])
            out = torch.empty_like(x)
            return Timing(lambda: out.copy_(x), bytes=2 * x.nbytes)

        EXPERIMENT = Experiment({"copies": copies})
    """

    entries: Mapping[str, Callable[[Mapping[str, Any], Lab], Timing]]
