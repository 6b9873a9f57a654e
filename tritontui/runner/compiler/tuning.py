"""What ``@triton.autotune`` chose from, as a message: with times on a GPU, with the target's objections without one."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import triton

from tritontui.diagnosis.finding import Finding
from tritontui.engine.messages import Tuned, TunedConfig
from tritontui.runner.compiler.compile import Launch
from tritontui.runner.lockstep import Choice
from tritontui.runner.triton_compat import Tuning

Objection = Callable[[Launch], Finding | None]


def timed(tuning: Tuning, run: int, device: str, case: str) -> Tuned:
    """As it was seen on a GPU in ``case``; without times where an earlier call had chosen already."""
    return _message(tuning, run, device, case, [_timed(tuning, config) for config in tuning.configs])


def untimed(tuning: Tuning, run: int, device: str, case: str, objection: Objection) -> Tuned:
    """What there is to choose from, and what ``objection`` has against each; nothing is chosen without a clock."""
    configs = []
    for config in tuning.configs:
        pruned = not among(config, tuning.kept)
        problem = None if pruned else objection(launch_with(tuning, config))
        configs.append(TunedConfig(values=values_of(config), pruned=pruned, problem=problem))
    return _message(replace(tuning, seconds=None), run, device, case, configs)


def launch_with(tuning: Tuning, config: Any) -> Launch:
    """The launch that ``config`` makes of the learner's."""
    names = tuning.kernel.arg_names
    given = config.all_kwargs()
    for reckoned in tuning.heuristics:
        for name, reckon in reckoned.items():
            given[name] = reckon({**tuning.arguments, **given})
    arguments = {**tuning.arguments, **{name: value for name, value in given.items() if name in names}}
    options = {name: value for name, value in given.items() if name not in names}
    return Launch(tuning.kernel, arguments, options, int(tuning.kernel.starting_line_number))


def values_of(config: Any) -> dict[str, Any]:
    """``{"BLOCK": 256, "num_warps": 4, "num_stages": 3}``: what the config sets, without what it leaves alone."""
    usual = {"num_ctas": 1}
    return {name: value for name, value in config.all_kwargs().items() if usual.get(name) != value}


def config_text(config: Any) -> str:
    """``BLOCK=256, num_warps=4``, and the stages where they aren't what Triton takes by itself."""
    values = values_of(config)
    if values.get("num_stages") == triton.Config({}).num_stages:
        del values["num_stages"]
    return ", ".join(f"{name}={value}" for name, value in values.items())


def unkeyed(tuning: Tuning | Choice, other: Mapping[str, Any]) -> Finding | None:
    """``autotune-key``: sizes differ between two calls, and ``key`` names none of the kernel's sizes.

    ``other`` has the arguments of another call of the same kernel.
    """
    sizes = tuning.sizes
    if set(sizes) & set(tuning.key):
        return None
    changed = [name for name, value in other.items() if name in sizes and type(value) is int and sizes[name] != value]
    if not changed:
        return None
    line = int(tuning.kernel.starting_line_number)
    return Finding(
        id="autotune-key", severity="warning", line=line, params={"problem": "missing", "argument": changed[0]}
    )


def invalid_config(tuning: Tuning | Choice, config: Any) -> Finding:
    """``autotune-invalid-config``: a config that the target can't run, so that trying it costs time and no more."""
    line = int(tuning.kernel.starting_line_number)
    params = {"problem": "config", "config": config_text(config), "names": ""}
    return Finding(id="autotune-invalid-config", severity="note", line=line, params=params)


def _message(tuning: Tuning, run: int, device: str, case: str, configs: list[TunedConfig]) -> Tuned:
    return Tuned(
        run=run,
        device=device,
        kernel=tuning.kernel.fn.__name__,
        line=int(tuning.kernel.starting_line_number),
        case=case,
        key={name: _plain(tuning.arguments.get(name)) for name in tuning.key},
        configs=configs,
        seconds=tuning.seconds,
    )


def _timed(tuning: Tuning, config: Any) -> TunedConfig:
    times = next((times for one, times in tuning.times_ms.items() if among(config, [one])), ())
    known = TunedConfig(
        values=values_of(config),
        chosen=among(config, [tuning.best]),
        pruned=bool(tuning.times_ms) and not among(config, tuning.kept),
    )
    if times and all(math.isfinite(time) for time in times):
        known.median_us, known.low_us, known.high_us = (time * 1e3 for time in times)
    return known


def among(config: Any, others: Sequence[Any]) -> bool:
    """Configs of a disk cache are equal, but others."""
    return any(one is config or one.all_kwargs() == config.all_kwargs() for one in others)


def _plain(value: Any) -> Any:
    return value if isinstance(value, (int, float, str, bool)) or value is None else str(getattr(value, "dtype", value))
