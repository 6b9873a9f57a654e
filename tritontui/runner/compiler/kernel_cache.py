"""Where Triton keeps compiled kernels: in its own folder or, where nothing can be written there, in a temporary one."""

from __future__ import annotations

import os
import tempfile
from collections.abc import MutableMapping
from pathlib import Path

from triton import knobs

INSTEAD_OF = "TRITONTUI_CACHE_INSTEAD_OF"
"""Variable in a child's environment: the folder that can't be used."""
_ROOM = 64 * 1024
"""Bytes of a small kernel and its listings."""


def ensure_cache(environ: MutableMapping[str, str] = os.environ) -> None:
    """Let kernels be compiled though Triton's folder can't be written, or its disk is full; they aren't kept then."""
    folder = Path(knobs.cache.dir)
    try:
        try_writing(folder)
    except OSError:
        environ[INSTEAD_OF] = str(folder)
        environ["TRITON_CACHE_DIR"] = tempfile.mkdtemp(prefix="triton-cache-")  # among the child's temporary files


def try_writing(folder: Path) -> None:
    """Raises OSError where a kernel couldn't be kept."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=folder) as file:
        file.write(bytes(_ROOM))
        file.flush()


def wanted_cache(environ: MutableMapping[str, str] = os.environ) -> Path:
    """The folder in which kernels should be kept."""
    return Path(environ.get(INSTEAD_OF) or knobs.cache.dir)
