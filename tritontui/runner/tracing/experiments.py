"""The same launch again under other circumstances, to see what its results depend on.

Masked-off lanes at two extremes, padding followed, programs in shuffled order, all configs of an autotuner. Each runs
on copies of the arguments as they were before the first launch, prints nothing, and is left out when time is short.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from tritontui.analysis.checks import padding
from tritontui.analysis.compare import first_difference
from tritontui.analysis.trace import Site, Trace
from tritontui.diagnosis.finding import Finding
from tritontui.runner.cases.again import Change, copied, first_change
from tritontui.runner.cases.host import tensors_in
from tritontui.runner.lockstep import LaunchRecord, TraceOptions, tracing

LARGEST_COPY = 1 << 28
"""Bytes of tensors that are copied for experiments; launches on more get none."""
ORDERS = 2
"""Shuffles tried."""
LARGEST_ORDER = 256
"""Programs of a launch up to which it is run one program at a time."""


@dataclass(frozen=True)
class Launching:
    """``launcher.run(*args, **kwargs)``, with copies of the tensors from before it happened."""

    launcher: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    file: str | None
    storages: tuple[int, ...]
    """Addresses of the storages that the tensors have which were copied, one a tensor."""

    @classmethod
    def before(cls, launcher: Any, args: tuple[Any, ...], kwargs: dict[str, Any], file: str | None) -> Launching | None:
        """Take the copies (shared storages stay shared, strides stay); None when they would be too large."""
        tensors = tensors_in((args, kwargs))
        if sum(tensor.untyped_storage().nbytes() for tensor in tensors) > LARGEST_COPY:
            return None
        args, kwargs = copied((args, kwargs))
        return cls(launcher, args, kwargs, file, tuple(tensor.untyped_storage().data_ptr() for tensor in tensors))

    def again(self, options: TraceOptions) -> Again | None:
        """Launch; None when it raised, of which only the first launch may tell."""
        args, kwargs = copied((self.args, self.kwargs))
        try:
            with tracing(options, file=self.file) as session, contextlib.redirect_stdout(io.StringIO()):
                self.launcher.run(*args, **kwargs)
        except Exception:
            return None
        return Again(tensors_in((args, kwargs)), session.traces, session.launches)


@dataclass(frozen=True)
class Again:
    """What one more launch left behind."""

    tensors: list[torch.Tensor]
    """In the order of the call."""
    traces: list[Trace]
    launches: list[LaunchRecord]


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
    changed = first_change(tensors, tensors_in(again.launches[-1].arguments)) if again is not None else None
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
    store = _changed_by_extremes(launching, trace, frozenset())
    if store is None:
        return
    if len(sites) > 1:
        sites = _guilty(launching, trace, sites)
    for site in sites:
        yield padding.without_other(trace, site, store)


def _changed_by_extremes(launching: Launching, trace: Trace, lines: frozenset[int]) -> Site | None:
    """The store that differs between the extremes, or from what is stored today: squares are alike at both."""
    low = launching.again(TraceOptions(masked_fill="low", masked_fill_lines=lines))
    high = launching.again(TraceOptions(masked_fill="high", masked_fill_lines=lines))
    if low is None or high is None:
        return None
    difference = first_difference(low.traces[0], high.traces[0]) or first_difference(low.traces[0], trace)
    return low.traces[0].sites[difference.site] if difference is not None else None


def _guilty(launching: Launching, trace: Trace, sites: list[int]) -> list[int]:
    """Which of several loads it is: each line alone at the extremes. Where none is, the fewest that are together."""
    lines = sorted({trace.sites[site].line for site in sites})
    guilty = {line for line in lines if _changed_by_extremes(launching, trace, frozenset({line})) is not None}
    if not guilty:
        guilty = set(lines)
        for line in lines:
            rest = guilty - {line}
            if rest and _changed_by_extremes(launching, trace, frozenset(rest)) is not None:
                guilty = rest
    return [site for site in sites if trace.sites[site].line in guilty]


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
    """Tensors that the launch reads back itself (tickets, partial sums) may well differ: they are its scratch."""
    first = launching.again(TraceOptions())
    if first is None:
        return
    results = _results(launching, trace, launch)
    for seed in range(ORDERS):
        again = launching.again(TraceOptions(order="shuffled", seed=seed))
        if again is None:
            continue
        changed = first_change([first.tensors[i] for i in results], [again.tensors[i] for i in results])
        if changed is not None:
            line = next(site.line for site in trace.sites if site.op == "atomic")
            yield _order_dependent(changed, list(results.values())[changed.number], line)
            return


def _order_dependent(change: Change, tensor: str, line: int) -> Finding:
    params = {**change.params(), "again": False, "entry": ""}
    return Finding(id="nondeterministic", severity="warning", line=line, tensor=tensor, params=params)


def _results(launching: Launching, trace: Trace, launch: LaunchRecord) -> dict[int, str]:
    """The tensor arguments that the launch doesn't load from: position in ``launching``, and parameter's name."""
    loaded = {trace.tensors[site.tensor].name for site in trace.sites if site.op == "load"}
    names = {tensor.untyped_storage().data_ptr(): name for name, tensor in _names(launch).items()}
    found = {number: names.get(storage) for number, storage in enumerate(launching.storages)}
    return {number: name for number, name in found.items() if name is not None and name not in loaded}


def _names(launch: LaunchRecord) -> dict[str, torch.Tensor]:
    """Tensor arguments by parameter name, in the order in which they are passed."""
    return {name: tensor for name, value in launch.arguments.items() for tensor in tensors_in(value)}


def _argument_name(launch: LaunchRecord, tensor: torch.Tensor) -> str | None:
    """The kernel's name for ``tensor``, if it was passed to it."""
    address = tensor.untyped_storage().data_ptr()
    return next((n for n, one in _names(launch).items() if one.untyped_storage().data_ptr() == address), None)
