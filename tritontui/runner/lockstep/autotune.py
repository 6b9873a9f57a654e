"""An autotuned kernel without a clock: the first config that survives pruning, all in turn, or a given one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from tritontui.runner.lockstep.errors import KernelError, StaticAssertion
from tritontui.runner.lockstep.options import TraceOptions
from tritontui.runner.triton_compat import JITFunction, tuned_kernel


@dataclass(frozen=True)
class Choice:
    """What one launch of an autotuned kernel had to choose from."""

    kernel: JITFunction
    sizes: dict[str, int]
    """The arguments that are whole numbers, by name, without what the configs set."""
    key: tuple[str, ...]
    """Names of the arguments for whose values a config is chosen anew."""
    addresses: tuple[str, ...]
    """Those of ``key`` that are tensors."""
    place: tuple[Any, ...]
    """Equal for launches that Triton's tuner takes for the same: the second gets what was chosen for the first."""
    kept: tuple[Any, ...]
    """The ``triton.Config`` that pruning left."""

    @property
    def name(self) -> str:
        return str(self.kernel.fn.__name__)


class Notes(Protocol):
    """What a tuner's launch leaves behind, and what its launches may go by."""

    choices: list[Choice]
    """Added to before anything runs."""
    spare: bool
    """Another config will be tried if this one fails a static assertion, and nobody needs to know of it."""


def run_autotuned(
    tuner: Any, args: tuple[Any, ...], kwargs: dict[str, Any], options: TraceOptions, notes: Notes
) -> Any:
    """Launch an ``Autotuner`` as ``options`` want it.

    ``configs="all"`` runs every config with the hooks that tuning would call. Like tuning, it leaves out configs whose
    static assertions fail. Raises ValueError when pruning leaves none, and where ``restore_value`` or ``reset_to_zero``
    name what isn't an argument.
    """
    _refuse_unknown_names(tuner)
    tuner.nargs = dict(zip(tuner.arg_names, args, strict=False))
    choice = _choice(tuner, kwargs)
    notes.choices.append(choice)
    if options.configs == "all" and len(choice.kept) > 1:
        for config in choice.kept:
            _trial(tuner, args, kwargs, config)
        tuner.pre_hook(_named(tuner, kwargs, choice.kept[0]), reset_only=True)
    given = options.tuned_with.get(choice.name)
    try:
        return _first_valid(tuner, args, kwargs, choice.kept if given is None else (given,), notes)
    finally:
        tuner.nargs = None


def _refuse_unknown_names(tuner: Any) -> None:
    """In the words of Triton 3.9, which looks when it decorates; before, they fail only where tuning measures."""
    for parameter in ("reset_to_zero", "restore_value"):
        unknown = [name for name in getattr(tuner, parameter) if name not in tuner.arg_names]
        if unknown:
            raise ValueError(
                f"{parameter} contains names that are not kernel arguments: {', '.join(unknown)}. "
                f"Valid argument names are: {', '.join(tuner.arg_names)}"
            )


def _first_valid(
    tuner: Any, args: tuple[Any, ...], kwargs: dict[str, Any], configs: Sequence[Any], notes: Notes
) -> Any:
    for number, config in enumerate(configs, 1):
        notes.spare = number < len(configs)
        tuner.best_config = config
        if config.pre_hook is not None:
            config.pre_hook(_named(tuner, kwargs, config))
        try:
            return tuner.fn.run(*args, **kwargs, **config.all_kwargs())
        except KernelError as error:
            if not notes.spare or not isinstance(error.cause, StaticAssertion):
                raise
        finally:
            notes.spare = False
    raise AssertionError("a tuner without configs")


def _choice(tuner: Any, kwargs: dict[str, Any]) -> Choice:
    kernel = tuned_kernel(tuner)
    given = {name: value for name, value in {**tuner.nargs, **kwargs}.items() if name in tuner.arg_names}
    tensors = {name: value for name, value in given.items() if hasattr(value, "dtype")}
    named = [object() if name in tensors else given.get(name) for name in tuner.keys]  # no tensor is like another one
    return Choice(
        kernel=kernel,
        sizes={name: value for name, value in given.items() if type(value) is int},
        key=tuple(tuner.keys),
        addresses=tuple(name for name in tuner.keys if name in tensors),
        place=(id(kernel), *named, *(str(tensor.dtype) for tensor in tensors.values())),
        kept=tuple(_pruned(tuner, kwargs)),
    )


def _pruned(tuner: Any, kwargs: dict[str, Any]) -> list[Any]:
    """Configs after the learner's own pruning; a performance model needs a GPU and is left out."""
    early = getattr(tuner, "early_config_prune", None)
    if early is None or len(tuner.configs) <= 1:
        return list(tuner.configs)
    kept = early(tuner.configs, tuner.nargs, **kwargs)
    if not kept:
        raise ValueError("No valid autotuner configs after pruning")  # the words of Triton's own AutotunerError
    return list(kept)


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
