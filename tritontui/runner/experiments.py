"""The same call again under other circumstances, to see what its results depend on.

Masked-off lanes at two extremes, programs in shuffled order, all configs of an autotuner. Each runs on copies of the
arguments as they were before the first call, prints nothing, and is left out when time is short.
"""

from __future__ import annotations

import contextlib
import copy
import io
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from tritontui.analysis import padding
from tritontui.analysis.compare import first_difference
from tritontui.analysis.trace import Trace
from tritontui.diagnosis.finding import Finding
from tritontui.runner.lockstep import LaunchRecord, TraceOptions, tracing

ORDERS = 2
"""Shuffles tried."""
LARGEST_ORDER = 256
"""Programs of a launch up to which it is run one program at a time."""
ROUNDING = {torch.float64: 1e-9, torch.float32: 1e-4, torch.float16: 1e-2, torch.bfloat16: 5e-2}
"""Relative to the largest value of an output: what another order of a sum may change."""


@dataclass(frozen=True)
class Call:
    """A host function and copies of its arguments from before the first call."""

    function: Callable[..., Any]
    arguments: Sequence[Any]
    file: str | None
    state: torch.Tensor
    """Of torch's random numbers, so that every call draws the same."""

    @classmethod
    def before(cls, function: Callable[..., Any], arguments: Sequence[Any], file: str | None) -> Call:
        """Take the copies; shared storages stay shared, strides stay as they are."""
        return cls(function, copy.deepcopy(list(arguments)), file, torch.get_rng_state())

    def again(self, options: TraceOptions) -> Again | None:
        """Call it; None when it raised, which only the first call may tell about."""
        arguments = copy.deepcopy(list(self.arguments))
        kept = torch.get_rng_state()
        torch.set_rng_state(self.state)
        try:
            with tracing(options, file=self.file) as session, contextlib.redirect_stdout(io.StringIO()):
                result = self.function(*arguments)
        except Exception:
            return None
        finally:
            torch.set_rng_state(kept)
        return Again(result, arguments, session.traces)


@dataclass(frozen=True)
class Again:
    """What one more call left behind."""

    result: Any
    arguments: Sequence[Any]
    traces: list[Trace]


@dataclass(frozen=True)
class First:
    """What the first call left behind."""

    result: Any
    arguments: Sequence[Any]
    """As the call left them."""
    traces: Sequence[Trace]
    launches: Sequence[LaunchRecord]
    findings: Sequence[Finding]
    seconds: float


def experiments(call: Call, first: First, deadline: float) -> Iterator[Finding]:
    """Findings of every experiment that has a point and for which there is time before ``deadline`` (monotonic)."""

    def affordable(runs: int) -> bool:
        return time.monotonic() + runs * first.seconds < deadline

    if _conflicting(first):
        return
    if any(padding.undefined_sites(trace) for trace in first.traces) and affordable(2):
        yield from _extremes(call, first)
    if any(padding.padded_sites(trace) for trace in first.traces) and affordable(1):
        yield from _paddings(call, first)
    tuned = _tuned(first.launches)
    if tuned is not None and affordable(len(tuned.tuner.configs) + 1):
        yield from _tuning(call, first, tuned)
    largest = max((trace.programs for trace in first.traces), default=0)
    if _order_matters(first.traces) and largest <= LARGEST_ORDER and affordable(ORDERS * largest):
        yield from _shuffled(call, first)


def _conflicting(first: First) -> bool:
    """Something is known to be wrong already that would show in every comparison."""
    stops = {"out-of-bounds-read", "out-of-bounds-write", "write-conflict", "read-after-write", "duplicate-indices"}
    return any(finding.severity == "error" and finding.id in stops for finding in first.findings)


def _extremes(call: Call, first: First) -> Iterator[Finding]:
    """Masked-off lanes of loads without ``other``, read as very large and as very small numbers."""
    low = call.again(TraceOptions(masked_fill="low"))
    high = call.again(TraceOptions(masked_fill="high"))
    if low is None or high is None:
        return
    for number, (trace, one, other) in enumerate(zip(first.traces, low.traces, high.traces, strict=False)):
        difference = first_difference(one, other)
        if difference is None:
            continue
        sites = padding.undefined_sites(trace)
        if len(sites) > 1:
            sites = _guilty(call, number, trace, sites)
        for site in sites:
            yield padding.without_other(trace, site, one.sites[difference.site])


def _guilty(call: Call, number: int, trace: Trace, sites: list[int]) -> list[int]:
    """Which of several loads it is: each line alone at the extremes. All of them, when only together they matter."""
    guilty = []
    for line in sorted({trace.sites[site].line for site in sites}):
        only = frozenset({line})
        runs = [call.again(TraceOptions(masked_fill=fill, masked_fill_lines=only)) for fill in ("low", "high")]
        traces = [run.traces[number] for run in runs if run is not None and len(run.traces) > number]
        if len(traces) == 2 and first_difference(*traces) is not None:
            guilty += [site for site in sites if trace.sites[site].line == line]
    return guilty or sites


def _paddings(call: Call, first: First) -> Iterator[Finding]:
    """Padding that a reduction counts and that reaches an active store, followed lane by lane."""
    again = call.again(TraceOptions(follow_padding=True))
    if again is not None:
        for trace, followed in zip(first.traces, again.traces, strict=False):
            yield from padding.wrong_values(replace(trace, events=followed.events))


def _tuned(launches: Sequence[LaunchRecord]) -> LaunchRecord | None:
    return next((one for one in launches if one.tuner is not None and len(one.tuner.configs) > 1), None)


def _tuning(call: Call, first: First, tuned: LaunchRecord) -> Iterator[Finding]:
    """All configs in turn on the same arguments, as tuning does, against the first config alone."""
    again = call.again(TraceOptions(configs="all"))
    if again is None:
        return
    changed = _changed(first, again)
    if changed is None:
        return
    tensor, index, value, other = changed
    yield Finding(
        id="autotune-side-effect",
        severity="error",
        line=_decorator_line(tuned),
        tensor=_argument_name(tuned, tensor),
        params={
            "kernel": tuned.kernel.fn.__name__,
            "configs": len(tuned.tuner.configs),
            "index": index,
            "value": value,
            "other_value": other,
        },
    )


def _decorator_line(tuned: LaunchRecord) -> int | None:
    """Line of the kernel's first decorator (``@triton.autotune``)."""
    return int(tuned.kernel.starting_line_number)


def _argument_name(launch: LaunchRecord, tensor: torch.Tensor) -> str | None:
    """The kernel's name for the tensor that changed, if it was passed to it."""
    address = tensor.untyped_storage().data_ptr()
    for name, value in launch.arguments.items():
        if isinstance(value, torch.Tensor) and value.untyped_storage().data_ptr() == address:
            return name
    return None


def _order_matters(traces: Sequence[Trace]) -> bool:
    """Only atomics hand results from program to program without being a conflict."""
    return any(
        trace.programs > 1 and any(site.op == "atomic" for site in trace.sites) and trace.mode == "lockstep"
        for trace in traces
    )


def _shuffled(call: Call, first: First) -> Iterator[Finding]:
    for seed in range(ORDERS):
        again = call.again(TraceOptions(order="shuffled", seed=seed))
        changed = _changed(first, again) if again is not None else None
        if changed is None:
            continue
        tensor, index, value, other = changed
        yield Finding(
            id="nondeterministic",
            severity="warning",
            line=_atomic_line(first.traces),
            tensor=_argument_name(first.launches[-1], tensor),
            params={
                "index": index,
                "count": 1,
                "size": tensor.numel(),
                "value": value,
                "other_value": other,
            },
        )
        return


def _atomic_line(traces: Sequence[Trace]) -> int | None:
    return next((site.line for trace in traces for site in trace.sites if site.op == "atomic"), None)


def _changed(first: First, again: Again) -> tuple[torch.Tensor, int, str, str] | None:
    """The first output or argument with another value than rounding explains: tensor, flat index, both values."""
    ours, theirs = _tensors((first.result, first.arguments)), _tensors((again.result, again.arguments))
    for one, other in zip(ours, theirs, strict=False):
        if one.shape != other.shape:
            continue
        wrong = _beyond_rounding(one, other)
        if len(wrong):
            index = int(wrong[0])
            return one, index, _text(one, index), _text(other, index)
    return None


def _tensors(value: Any) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (list, tuple)):
        return [tensor for item in value for tensor in _tensors(item)]
    return []


def _beyond_rounding(one: torch.Tensor, other: torch.Tensor) -> Any:
    """Flat indices of the elements that differ by more than another order of sums may make them."""
    if not one.is_floating_point():
        return np.flatnonzero((one != other).numpy().ravel())
    left, right = one.detach().double().numpy().ravel(), other.detach().double().numpy().ravel()
    finite = left[np.isfinite(left)]
    scale = ROUNDING.get(one.dtype, 1e-1) * max(1e-30, float(np.abs(finite).max(initial=0.0)))
    return np.flatnonzero(~np.isclose(left, right, rtol=0, atol=scale, equal_nan=True))


def _text(tensor: torch.Tensor, index: int) -> str:
    value = tensor.reshape(-1)[index].item()
    return f"{value:.6g}" if isinstance(value, float) else str(value)
