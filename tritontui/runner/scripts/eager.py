"""``torch.compile`` in a traced script: what it makes runs as it is written."""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

from tritontui.runner.replaced import replaced


@contextmanager
def compiled_eagerly() -> Iterator[None]:
    """While active, a compiled function runs eagerly, so that the kernels in it are launched as they stand there.

    Tensors are on the CPU here, for which the compiler would write C++ and no kernel; and it can't follow the modes
    that watch the tensors. What ``torch.compile`` gives is still what it gives elsewhere.
    """
    compile_ = torch.compile

    @functools.wraps(compile_)
    def eager(*arguments: Any, **named: Any) -> Any:
        torch.compiler.set_stance("force_eager")  # not before: it imports what takes a second
        return compile_(*arguments, **named)

    try:
        with replaced((torch, "compile", eager)):
            yield
    finally:
        if "torch._dynamo" in sys.modules:
            torch.compiler.set_stance("default")
