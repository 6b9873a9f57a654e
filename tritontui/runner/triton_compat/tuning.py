"""What a tuner chose from, and how."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from triton.runtime.autotuner import Autotuner, Heuristics
from triton.runtime.jit import JITFunction

from tritontui.runner.replaced import replaced


@dataclass(frozen=True)
class Tuning:
    """What one launch of an autotuned kernel chose from, and how."""

    kernel: JITFunction
    arguments: dict[str, Any]
    """Of the launch, by name, without what the configs set."""
    key: tuple[str, ...]
    configs: list[Any]
    """``triton.Config``, in the order in which they were written."""
    kept: list[Any]
    """Those that pruning left."""
    times_ms: dict[Any, tuple[float, ...]]
    """Median, low, high by config; infinite where it couldn't run. Empty: chosen before, or the only one."""
    best: Any
    seconds: float | None
    heuristics: tuple[Mapping[str, Callable[[dict[str, Any]], Any]], ...] = ()
    """What ``@triton.heuristics`` below the tuner reckons from the arguments and a config, the outermost first."""

    @property
    def sizes(self) -> dict[str, int]:
        """The arguments that are whole numbers."""
        return {name: value for name, value in self.arguments.items() if type(value) is int}


@contextmanager
def tunings_noted() -> Iterator[list[Tuning]]:
    """While active each launch of an autotuned kernel with several configs leaves a Tuning."""
    noted: list[Tuning] = []
    run_tuner, prune = Autotuner.run, Autotuner.prune_configs
    kept: list[Any] = []

    def prune_noted(self: Autotuner, *args: Any, **kwargs: Any) -> Any:
        kept[:] = prune(self, *args, **kwargs)
        return list(kept)

    def run(self: Autotuner, *args: Any, **kwargs: Any) -> Any:
        before = getattr(self, "configs_timings", None)
        kept.clear()
        result = run_tuner(self, *args, **kwargs)
        if len(self.configs) > 1:
            after = getattr(self, "configs_timings", None)
            fresh = {} if after is None or after is before else after
            noted.append(_tuning(self, args, kwargs, kept or self.configs, fresh))
        return result

    with replaced((Autotuner, "run", run), (Autotuner, "prune_configs", prune_noted)):
        yield noted


def tuned_kernel(tuner: Autotuner) -> JITFunction:
    """What the tuner tunes."""
    kernel = tuner.fn
    while not isinstance(kernel, JITFunction):  # heuristics stand between
        kernel = kernel.fn
    return kernel


def _heuristics(tuner: Autotuner) -> Iterator[Mapping[str, Any]]:
    below = tuner.fn
    while not isinstance(below, JITFunction):
        if isinstance(below, Heuristics):
            yield below.values
        below = below.fn


def _tuning(tuner: Autotuner, args: Any, kwargs: Any, kept: Sequence[Any], timings: Mapping[Any, Any]) -> Tuning:
    named = {**dict(zip(tuner.arg_names, args, strict=False)), **kwargs}
    return Tuning(
        kernel=tuned_kernel(tuner),
        arguments={name: value for name, value in named.items() if name in tuner.arg_names},
        key=tuple(tuner.keys),
        configs=list(tuner.configs),
        kept=list(kept),
        times_ms={config: tuple(t) if isinstance(t, (list, tuple)) else (t, t, t) for config, t in timings.items()},
        best=tuner.best_config,
        seconds=getattr(tuner, "bench_time", None) if timings else None,
        heuristics=tuple(_heuristics(tuner)),
    )
