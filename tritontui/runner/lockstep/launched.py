"""What ``kernel[grid](...)`` answers: on a GPU the compiled kernel, here one that is compiled when it is asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tritontui.runner.triton_compat import COMPILED_ATTRIBUTES, JITFunction


class Launched:
    """A traced launch, as host code that keeps its result sees it. Raises what the compiler raises."""

    def __init__(self, kernel: JITFunction, arguments: Mapping[str, Any], options: Mapping[str, Any]) -> None:
        self._given = (kernel, arguments, options)

    def __getattr__(self, name: str) -> Any:
        if name not in COMPILED_ATTRIBUTES:
            raise AttributeError(f"a compiled kernel has no attribute {name}")
        return getattr(self._compiled(), name)

    def __getitem__(self, grid: Any) -> Callable[..., Any]:
        launcher: Callable[..., Any] = self._compiled()[grid]
        return launcher

    def _compiled(self) -> Any:
        kernel, arguments, options = self._given
        compiled = kernel.warmup(grid=(1,), **arguments, **options)
        compiled._init_handles()  # as a launch would have done
        return compiled
