"""The same launch again under other circumstances, to see what its results depend on.

Masked-off lanes at two extremes, padding followed, programs in shuffled order, all configs of an autotuner. Each runs
on copies of the arguments as they were before the first launch, prints nothing, and is left out when time is short.
"""

from __future__ import annotations

import contextlib
import copy
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from tritontui.analysis import padding
from tritontui.analysis.compare import first_difference
from tritontui.analysis.trace import Trace
from tritontui.diagnosis.finding import Finding
from tritontui.runner.lockstep import LaunchRecord, TraceOptions, tracing

LARGEST_COPY = 1 << 28
"""Bytes of tensors that are copied for experiments; launches on more get none."""
ORDERS = 2
"""Shuffles tried."""
LARGEST_ORDER = 256
"""Programs of a launch up to which it is run one program at a time."""
ROUNDING = {torch.float64: 1e-9, torch.float32: 1e-4, torch.float16: 1e-2, torch.bfloat16: 5e-2}
"""Relative to the largest value of a tensor: what another order of a sum may change."""


@dataclass(frozen=True)
class Launching:
    """``launcher.run(*args, **kwargs)``, with copies of the tensors from before it happened."""

    launcher: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    file: str | None

    @classmethod
    def before(cls, launcher: Any, args: tuple[Any, ...], kwargs: dict[str, Any], file: str | None) -> Launching | None:
        """Take the copies (shared storages stay shared, strides stay); None when they would be too large."""
        tensors = tensors_in((args, kwargs))
        if sum(tensor.untyped_storage().nbytes() for tensor in tensors) > LARGEST_COPY:
            return None
        args, kwargs = _copied((args, kwargs))
        return cls(launcher, args, kwargs, file)

    def again(self, options: TraceOptions) -> Again | None:
        """Launch; None when it raised, of which only the first launch may tell."""
        args, kwargs = _copied((self.args, self.kwargs))
        try:
            with tracing(options, file=self.file) as session, contextlib.redirect_stdout(io.StringIO()):
                self.launcher.run(*args, **kwargs)
        except Exception:
            return None
        return Again(tensors_in((args, kwargs)), session.traces)


@dataclass(frozen=True)
class Again:
    """What one more launch left behind."""

    tensors: list[torch.Tensor]
    traces: list[Trace]


def tensors_in(value: Any) -> list[torch.Tensor]:
    """Tensors in nested lists, tuples, dicts and tensor descriptors, in order."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [tensor for item in value for tensor in tensors_in(item)]
    base = getattr(value, "base", None)
    return [base] if isinstance(base, torch.Tensor) else []


def launch_experiments(launching: Launching, trace: Trace, launch: LaunchRecord) -> Iterator[Finding]:
    """What one launch of one kernel depends on that it shouldn't."""
    undefined, padded = padding.undefined_sites(trace), padding.padded_sites(trace)
    if undefined:
        yield from _extremes(launching, trace, undefined)
    if padded:
        yield from _paddings(launching, trace)
    if _order_matters(trace):
        yield from _shuffled(launching, trace, launch)


def tuning_experiment(launching: Launching, tensors: Sequence[torch.Tensor], launch: LaunchRecord) -> Iterator[Finding]:
    """All configs in turn on the same arguments, as tuning does, against one alone, which left ``tensors``."""
    configs = len(launch.tuner.configs)
    again = launching.again(TraceOptions(configs="all")) if configs > 1 else None
    changed = _changed(tensors, again.tensors) if again is not None else None
    if changed is None:
        return
    yield Finding(
        id="autotune-side-effect",
        severity="error",
        line=int(launch.kernel.starting_line_number),
        tensor=_argument_name(launch, changed.tensor),
        params={
            "kernel": launch.kernel.fn.__name__,
            "configs": configs,
            "index": changed.index,
            "value": changed.value,
            "other_value": changed.other,
        },
    )


def _extremes(launching: Launching, trace: Trace, sites: list[int]) -> Iterator[Finding]:
    """Masked-off lanes of loads without ``other``, read as very large and as very small numbers."""
    traces = _low_and_high(launching, frozenset())
    if traces is None:
        return
    difference = first_difference(*traces)
    if difference is None:
        return
    store = traces[0].sites[difference.site]
    if len(sites) > 1:
        sites = _guilty(launching, trace, sites)
    for site in sites:
        yield padding.without_other(trace, site, store)


def _low_and_high(launching: Launching, lines: frozenset[int]) -> tuple[Trace, Trace] | None:
    low = launching.again(TraceOptions(masked_fill="low", masked_fill_lines=lines))
    high = launching.again(TraceOptions(masked_fill="high", masked_fill_lines=lines))
    if low is None or high is None:
        return None
    return low.traces[0], high.traces[0]


def _guilty(launching: Launching, trace: Trace, sites: list[int]) -> list[int]:
    """Which of several loads it is: each line alone at the extremes. All of them, when only together they matter."""
    guilty = []
    for line in sorted({trace.sites[site].line for site in sites}):
        traces = _low_and_high(launching, frozenset({line}))
        if traces is not None and first_difference(*traces) is not None:
            guilty += [site for site in sites if trace.sites[site].line == line]
    return guilty or sites


def _paddings(launching: Launching, trace: Trace) -> Iterator[Finding]:
    """Padding that a reduction counts and that reaches an active store, followed lane by lane."""
    again = launching.again(TraceOptions(follow_padding=True))
    if again is not None:
        yield from padding.wrong_values(replace(trace, events=again.traces[0].events))


def _order_matters(trace: Trace) -> bool:
    """Only atomics hand results from program to program without being a conflict."""
    return (
        1 < trace.programs <= LARGEST_ORDER
        and trace.mode == "lockstep"
        and any(site.op == "atomic" for site in trace.sites)
    )


def _shuffled(launching: Launching, trace: Trace, launch: LaunchRecord) -> Iterator[Finding]:
    first = launching.again(TraceOptions())
    for seed in range(ORDERS):
        again = launching.again(TraceOptions(order="shuffled", seed=seed))
        changed = _changed(first.tensors, again.tensors) if first is not None and again is not None else None
        if changed is None:
            continue
        yield Finding(
            id="nondeterministic",
            severity="warning",
            line=next(site.line for site in trace.sites if site.op == "atomic"),
            tensor=list(_names(launch))[changed.number],
            params={
                "index": changed.index,
                "count": changed.count,
                "size": changed.tensor.numel(),
                "value": changed.value,
                "other_value": changed.other,
            },
        )
        return


@dataclass(frozen=True)
class _Change:
    """The first tensor in which two launches differ, and its first such element (row-major index)."""

    number: int
    tensor: torch.Tensor
    index: int
    count: int
    value: str
    other: str


def _changed(ours: Sequence[torch.Tensor], theirs: Sequence[torch.Tensor]) -> _Change | None:
    for number, (one, other) in enumerate(zip(ours, theirs, strict=True)):
        wrong = _beyond_rounding(one, other)
        if len(wrong):
            index = int(wrong[0])
            return _Change(number, one, index, len(wrong), _text(one, index), _text(other, index))
    return None


def _beyond_rounding(one: torch.Tensor, other: torch.Tensor) -> np.ndarray[Any, np.dtype[np.intp]]:
    """Row-major indices of the elements that differ by more than another order of sums may make them."""
    if not one.is_floating_point():
        return np.flatnonzero((one != other).numpy().ravel())
    left, right = one.detach().double().numpy().ravel(), other.detach().double().numpy().ravel()
    finite = left[np.isfinite(left)]
    scale = ROUNDING.get(one.dtype, 1e-1) * max(1e-30, float(np.abs(finite).max(initial=0.0)))
    return np.flatnonzero(~np.isclose(left, right, rtol=0, atol=scale, equal_nan=True))


def _names(launch: LaunchRecord) -> dict[str, torch.Tensor]:
    """Tensor arguments by parameter name, in the order in which they are passed."""
    return {name: tensor for name, value in launch.arguments.items() for tensor in tensors_in(value)}


def _argument_name(launch: LaunchRecord, tensor: torch.Tensor) -> str | None:
    """The kernel's name for ``tensor``, if it was passed to it."""
    address = tensor.untyped_storage().data_ptr()
    return next((n for n, one in _names(launch).items() if one.untyped_storage().data_ptr() == address), None)


def _copied(value: Any) -> Any:
    """Copies of all tensors; everything else (kernels' grids, dtypes, functions) as it is."""
    known: dict[int, torch.Tensor] = {}

    def copied(item: Any) -> Any:
        if isinstance(item, torch.Tensor):
            return _copied_tensor(item, known)
        if isinstance(item, dict):
            return {key: copied(part) for key, part in item.items()}
        if isinstance(item, (list, tuple)):
            parts = [copied(part) for part in item]
            return type(item)(*parts) if hasattr(item, "_fields") else type(item)(parts)
        if tensors_in(item):
            clone = copy.copy(item)
            clone.base = copied(item.base)
            return clone
        return item

    return copied(value)


def _copied_tensor(tensor: torch.Tensor, known: dict[int, torch.Tensor]) -> torch.Tensor:
    """The same view of a copy of the storage, of which there is one for all of its views."""
    plain = tensor.detach()
    storage = plain.untyped_storage()
    key = storage.data_ptr()
    if key not in known:
        known[key] = torch.empty(0, dtype=torch.uint8).set_(storage).clone()
    clone = torch.empty(0, dtype=plain.dtype)
    clone.set_(known[key].untyped_storage(), plain.storage_offset(), plain.shape, plain.stride())
    return clone


def _text(tensor: torch.Tensor, index: int) -> str:
    value = tensor.reshape(-1)[index].item()
    return f"{value:.6g}" if isinstance(value, float) else str(value)
