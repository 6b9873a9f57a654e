"""Fresh traces made ready for analysis: compact, with their source; and a launch's tensors by their names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import torch

from tritontui.analysis import compact
from tritontui.analysis.trace import Trace
from tritontui.runner.lockstep import LaunchRecord


def adopt(trace: Trace, record: LaunchRecord, file: str, source: str) -> None:
    """Complete ``trace`` in place. ``source`` is the text of ``file``; a kernel of another file brings its own."""
    trace.accesses = [compact(access) for access in trace.accesses]
    kernel_file = record.kernel.fn.__code__.co_filename
    trace.source = source if kernel_file == file else text_of(kernel_file)


def storage_address(tensor: torch.Tensor) -> int:
    """Names a storage as long as it lives (a launch's record keeps it alive)."""
    return int(tensor.untyped_storage().data_ptr())


def tensors_of(arguments: dict[str, Any]) -> Iterator[tuple[str, torch.Tensor]]:
    """Tensors among a launch's arguments under the names that its trace gives them, descriptors' bases included."""
    for name, value in arguments.items():
        items: Sequence[tuple[str, Any]] = [(name, value)]
        if isinstance(value, tuple):
            items = [(f"{name}[{index}]", item) for index, item in enumerate(value)]
        for full_name, item in items:
            tensor = item if isinstance(item, torch.Tensor) else getattr(item, "base", None)
            if isinstance(tensor, torch.Tensor):
                yield full_name, tensor


def text_of(path: str) -> str:
    """What a file holds; "" where it can't be read."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""
