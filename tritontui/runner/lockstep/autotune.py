"""An autotuned kernel without a clock: the first config that survives pruning, or all of them in turn."""

from __future__ import annotations

from typing import Any

from tritontui.runner.lockstep.options import Configs


def run_autotuned(tuner: Any, args: tuple[Any, ...], kwargs: dict[str, Any], configs: Configs) -> Any:
    """Launch an ``Autotuner``. ``configs="all"`` runs every config with the hooks that tuning would call."""
    tuner.nargs = dict(zip(tuner.arg_names, args, strict=False))
    pruned = _pruned(tuner, kwargs)
    if configs == "all" and len(pruned) > 1:
        for config in pruned:
            _trial(tuner, args, kwargs, config)
        tuner.pre_hook(_named(tuner, kwargs, pruned[0]), reset_only=True)
    best = pruned[0]
    tuner.best_config = best
    if best.pre_hook is not None:
        best.pre_hook(_named(tuner, kwargs, best))
    try:
        return tuner.fn.run(*args, **kwargs, **best.all_kwargs())
    finally:
        tuner.nargs = None


def _pruned(tuner: Any, kwargs: dict[str, Any]) -> list[Any]:
    """Configs after the learner's own pruning; a performance model needs a GPU and is left out."""
    early = getattr(tuner, "early_config_prune", None)
    if early is None or len(tuner.configs) <= 1:
        return list(tuner.configs)
    kept = list(early(tuner.configs, tuner.nargs, **kwargs))
    if not kept:
        raise ValueError("early_config_prune returned no config")
    return kept


def _named(tuner: Any, kwargs: dict[str, Any], config: Any) -> dict[str, Any]:
    return {**tuner.nargs, **kwargs, **config.all_kwargs()}


def _trial(tuner: Any, args: tuple[Any, ...], kwargs: dict[str, Any], config: Any) -> None:
    """What benchmarking one config does to the arguments: hooks, one launch, hooks."""
    named = _named(tuner, kwargs, config)
    if config.pre_hook is not None:
        config.pre_hook(named)
    tuner.pre_hook(named)
    try:
        tuner.fn.run(*args, **kwargs, **config.all_kwargs())
    except Exception as error:
        tuner.post_hook(named, exception=error)
        raise
    tuner.post_hook(named, exception=None)
