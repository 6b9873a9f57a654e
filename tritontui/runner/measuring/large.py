"""The large case: drawn to fit the card, seen without memory, and right before it is timed."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from tritontui.engine.messages import Workload
from tritontui.runner.cases.aside import prints_aside
from tritontui.runner.cases.compare import tolerance_for, wrong_elements
from tritontui.runner.cases.contract import outputs_of
from tritontui.runner.cases.host import HostWatch
from tritontui.runner.cases.memory import GuardedAllocations
from tritontui.runner.compiler.compile import Launch
from tritontui.runner.process.torch_state import defaults_aside
from tritontui.runner.spec import Case, Exercise, Tolerance
from tritontui.runner.triton_compat import launches_noted

CHUNK = 1 << 24
"""Elements compared at once: the float64 copies of a whole large output would not fit on a small card."""


class WrongAtScaleError(Exception):
    """The measured case itself is wrong: ``wrong`` of ``total`` elements."""

    def __init__(self, case: str, wrong: int, total: int) -> None:
        super().__init__(f"{case}: {wrong} of {total} elements are wrong")
        self.case = case
        self.wrong = wrong
        self.total = total


@defaults_aside()
def draw(exercise: Exercise, case: Case, device: torch.device) -> list[Any]:
    """Inputs of ``case`` on ``device``, which may be ``meta``: shapes and dtypes without memory."""
    on_device = Case(case.name, {**case.values, "device": str(device)}, case.seeds)
    generator = torch.Generator(device if device.type == "cuda" else "cpu").manual_seed(case.seeds[0])
    with torch.device(device), _Shapes() if device.type == "meta" else contextlib.nullcontext():
        drawn = exercise.inputs(on_device, generator)
    return [value.to(device) if isinstance(value, torch.Tensor) else value for value in drawn]


class _Shapes(TorchFunctionMode):  # type: ignore[misc]
    """On tensors without memory, drawing and copying a shape are plain allocations.

    PyTorch would give the same, after a second of loading what it knows of every operator's shapes.
    """

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        if func in (torch.randn, torch.rand):
            return torch.empty(*args, **{name: value for name, value in kwargs.items() if name != "generator"})
        if func in (torch.empty_like, torch.zeros_like, torch.ones_like) and len(args) == 1:
            like = args[0]
            dtype, device = kwargs.get("dtype") or like.dtype, kwargs.get("device") or like.device
            return torch.empty_strided(like.shape, like.stride(), dtype=dtype, device=device)
        return func(*args, **kwargs)


def fitting_case(exercise: Exercise, most_bytes: int) -> Case:
    """The exercise's large case, its largest size halved until inputs and outputs fit in ``most_bytes``."""
    case = exercise.measure_case
    assert case is not None
    while exercise.ideal_bytes and exercise.ideal_bytes(*draw(exercise, case, torch.device("meta"))) > most_bytes:
        sizes = {name: value for name, value in case.values.items() if type(value) is int}
        largest = max(sizes, key=lambda name: sizes[name], default=None)
        if largest is None or sizes[largest] <= 1:
            break
        halved = {**case.values, largest: sizes[largest] // 2}
        shown = ", ".join(f"{name} = {value}" for name, value in halved.items() if type(value) is int)
        case = Case(shown, halved, case.seeds)
    return case


def workload(exercise: Exercise, run: int) -> Workload | None:
    """What the large case must move and compute, by its shapes alone.

    None where nothing is measured, and where inputs can't be drawn without their values.
    """
    case = exercise.measure_case
    if case is None:
        return None
    try:
        arguments = draw(exercise, case, torch.device("meta"))
    except Exception:
        return None
    return Workload(
        run=run,
        case=case.name,
        bytes=int(exercise.ideal_bytes(*arguments)) if exercise.ideal_bytes else 0,
        flops=int(exercise.ideal_flops(*arguments)) if exercise.ideal_flops else None,
    )


def check_at_scale(
    exercise: Exercise,
    case: Case,
    function: Callable[..., Any],
    baseline: Callable[..., Any],
    arguments: Sequence[Any],
) -> None:
    """Raises WrongAtScaleError unless the large case is right too, as far as the baseline's own rounding tells."""

    def call() -> Any:
        """On copies of what is worked on in place, which the baseline needs as it was."""
        own = (a.clone() if i in exercise.written else a for i, a in enumerate(arguments))
        return function(*own)

    agree_at_scale(case.name, call, lambda: baseline(*arguments), exercise.tolerances)


def agree_at_scale(
    case: str,
    call: Callable[[], Any],
    expected: Callable[[], Any],
    tolerances: Mapping[torch.dtype, Tolerance] | None = None,
) -> None:
    """Raises WrongAtScaleError unless both give the same, but for the rounding of both."""
    with HostWatch(lambda _: False, (), GuardedAllocations()):  # freed memory may hold the very answer
        got = outputs_of(call()) or []
    right = outputs_of(expected()) or []
    wrong = total = 0
    for output, wanted in zip(got, right, strict=True):
        once = tolerance_for(output.dtype, tolerances or {})
        twice = Tolerance(2 * once.rtol, 2 * once.atol, once.reason)
        pieces = zip(output.reshape(-1).split(CHUNK), wanted.reshape(-1).split(CHUNK), strict=True)
        wrong += sum(int(torch.count_nonzero(wrong_elements(a, b, twice))) for a, b in pieces)
        total += output.numel()
    if wrong:
        raise WrongAtScaleError(case, wrong, total)


def measured_launches(exercise: Exercise, function: Callable[..., Any]) -> list[Launch]:
    """What ``function`` would launch for the large case, seen without memory or GPU; empty when it can't be seen.

    Host code that looks at values (``.item()``, a comparison) can't run on tensors without values: the small case has
    to stand for the large one then.
    """
    if exercise.measure_case is None:
        return []
    try:
        arguments = draw(exercise, exercise.measure_case, torch.device("meta"))
        with launches_noted() as noted, prints_aside(), _Shapes():
            function(*arguments)
    except Exception:
        return []
    return [Launch(kernel, kernel_arguments, options) for kernel, kernel_arguments, options in noted]
