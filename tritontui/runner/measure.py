"""How fast the learner's function is on a GPU, with the reasons why the figure may say less than it seems to."""

from __future__ import annotations

import contextlib
import fcntl
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from tritontui.diagnosis.finding import Finding
from tritontui.engine.messages import GpuInfo, Measurement, Workload
from tritontui.runner.aside import prints_aside
from tritontui.runner.ceilings import FREE_SHARE, Ceilings, Times, ceilings, times_of
from tritontui.runner.compare import tolerance_for, wrong_elements
from tritontui.runner.compile import Launch
from tritontui.runner.contract import outputs_of
from tritontui.runner.hardware import Sensors, others
from tritontui.runner.host import HostWatch
from tritontui.runner.memory import GuardedAllocations
from tritontui.runner.spec import Case, Exercise, Tolerance
from tritontui.runner.triton_compat import launches_noted

SAMPLE_SECONDS = 0.02
LOCK_SECONDS = 0.05
HOST_CALLS = 20
NOISE = 0.05
"""Quantiles 0.2 and 0.8 further apart than this share of the median are said to be noisy."""
EMPTY_MULTIPLE = 2.0
"""A kernel under so many times the empty one's time is mostly launch."""
CHUNK = 1 << 24
"""Elements compared at once: the float64 copies of a whole large output would not fit on a small card."""


class WrongAtScaleError(Exception):
    """The measured case itself is wrong: ``wrong`` of ``total`` elements."""

    def __init__(self, case: str, wrong: int, total: int) -> None:
        super().__init__(f"{case}: {wrong} of {total} elements are wrong")
        self.case = case
        self.wrong = wrong
        self.total = total


@dataclass(frozen=True)
class Bench:
    """Where measurements are made, and who is told meanwhile."""

    gpu: GpuInfo
    device: torch.device
    sensors: Sensors
    waiting: Callable[[], None]
    """Called once when another measurement holds this GPU."""
    check_cancelled: Callable[[], None]
    cache_folder: Path | None = None

    def measure(self, exercise: Exercise, function: Callable[..., Any]) -> Measurement:
        """Time ``function`` on the exercise's large case, and PyTorch's own operator after it.

        Raises WrongAtScaleError, and whatever ``function`` raises.
        """
        with gpu_to_oneself(self.sensors.lock_path(), self.waiting, self.check_cancelled) as waited:
            card = ceilings(self.device, self.sensors, self.cache_folder)
            self.check_cancelled()
            try:
                return self._measure(exercise, function, card, waited)
            finally:
                torch.cuda.empty_cache()  # gigabytes that others on this GPU can use

    def allowance(self) -> int:
        """Bytes that a case may take: a share of what is free now."""
        return int(torch.cuda.mem_get_info(self.device)[0]) // FREE_SHARE

    def _measure(self, exercise: Exercise, function: Callable[..., Any], card: Ceilings, waited: float) -> Measurement:
        case = fitting_case(exercise, self.allowance())
        arguments = draw(exercise, case, self.device)
        baseline = exercise.baseline or exercise.reference
        assert baseline is not None  # what has no reference isn't measured
        check_at_scale(exercise, case, function, baseline, arguments)
        with sampled(self.sensors) as condition:
            times = times_of(lambda: function(*arguments))
            torch_times = times_of(lambda: baseline(*arguments))
        host_us = host_time(lambda: function(*arguments), self.device)
        moved = exercise.ideal_bytes(*arguments) if exercise.ideal_bytes else 0
        flops = exercise.ideal_flops(*arguments) if exercise.ideal_flops else None
        return Measurement(
            case=case.name,
            device=str(self.device),
            median_us=times.median,
            low_us=times.low,
            high_us=times.high,
            ideal_bytes=moved,
            gbps=moved / times.median * 1e-3,
            ceiling_gbps=card.for_mix(exercise.reads_per_write) if moved else None,
            peak_gbps=self.gpu.peak_gbps,
            torch_us=torch_times.median,
            torch_gbps=moved / torch_times.median * 1e-3,
            tflops=None if flops is None else flops / times.median * 1e-6,
            host_us=host_us,
            gpu=self.gpu.name,
            ideal_flops=flops,
            peak_fp32_tflops=self.gpu.peak_fp32_tflops,
            peak_tensor_tflops=self.gpu.peak_tensor_tflops,
            remarks=remarks(times, host_us, card.empty_us, moved, self.gpu.l2_bytes, condition, waited),
        )


@dataclass
class Condition:
    """What the GPU was seen in while it was measured."""

    throttled: set[str] = field(default_factory=set)
    busy: set[int] = field(default_factory=set)
    """Processes that computed on it."""


def remarks(
    times: Times,
    host_us: float,
    empty_us: float,
    moved: int,
    cache_bytes: int,
    condition: Condition,
    waited: float,
) -> list[Finding]:
    """What must be said beside the figure."""
    spread = (times.high - times.low) / times.median
    notes: Sequence[tuple[bool, str, Mapping[str, Any]]] = (
        (
            times.median < max(host_us, EMPTY_MULTIPLE * empty_us),
            "launch-bound",
            {"device_us": times.median, "host_us": host_us, "empty_us": empty_us},
        ),
        (
            0 < moved <= cache_bytes,
            "fits-in-cache",
            {"bytes": moved, "cache_bytes": cache_bytes},
        ),
        (
            spread > NOISE,
            "noisy-measurement",
            {"spread_percent": round(100 * spread), "low_us": times.low, "high_us": times.high},
        ),
        (others(condition.busy) > 0, "gpu-busy", {"processes": others(condition.busy)}),
        (bool(condition.throttled), "gpu-throttled", {"reasons": sorted(condition.throttled)}),
        (waited > 0, "gpu-waited", {"seconds": round(waited, 1)}),
    )
    return [
        Finding(id=identifier, severity="note", params=dict(params)) for holds, identifier, params in notes if holds
    ]


# ---------------------------------------------------------------- the case


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
    agree_at_scale(case.name, lambda: function(*arguments), lambda: baseline(*arguments), exercise.tolerances)


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


# ---------------------------------------------------------------- the moment


def host_time(call: Callable[[], object], device: torch.device) -> float:
    """µs that one call takes of the host, the GPU not waited for."""
    torch.cuda.synchronize(device)
    started = time.perf_counter()
    for _ in range(HOST_CALLS):
        call()
    elapsed = time.perf_counter() - started
    torch.cuda.synchronize(device)
    return elapsed / HOST_CALLS * 1e6


@contextmanager
def sampled(sensors: Sensors) -> Iterator[Condition]:
    """Look at the sensors again and again until the block ends."""
    condition = Condition()
    ended = threading.Event()
    began = time.time()

    def look() -> None:
        while True:
            condition.throttled |= sensors.throttled()
            condition.busy |= sensors.busy_processes(began)
            if ended.wait(SAMPLE_SECONDS):
                return

    thread = threading.Thread(target=look, name="sensors", daemon=True)
    thread.start()
    try:
        yield condition
    finally:
        ended.set()
        thread.join()


@contextmanager
def gpu_to_oneself(
    path: Path | None, waiting: Callable[[], None], check_cancelled: Callable[[], None]
) -> Iterator[float]:
    """Hold the GPU's device node locked, so that two measurements don't share the card; gives the seconds waited.

    A card without a device node, or one that may not be opened, is used without the lock.
    """
    try:
        node = None if path is None else os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        node = None
    if node is None:
        yield 0.0
        return
    started = time.monotonic()
    try:
        if not _locked(node):
            waiting()
            while not _locked(node):
                check_cancelled()
                time.sleep(LOCK_SECONDS)
            yield time.monotonic() - started
        else:
            yield 0.0
    finally:
        os.close(node)  # which ends the lock


def _locked(node: int) -> bool:
    try:
        fcntl.flock(node, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
