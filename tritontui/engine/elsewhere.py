"""Another Python than this one, asked what works in it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import msgspec

import tritontui
from tritontui.engine.messages import Check

SECONDS = 180.0
"""PyTorch takes its time on a cold disk, and a first launch compiles."""

_SCRIPT = Path(tritontui.__file__).parent / "runner" / "doctor" / "elsewhere.py"
_RUN = "import runpy, sys; sys.path[:] = filter(None, sys.path); runpy.run_path(sys.argv[1], run_name='__main__')"
"""Not as a script: then its folder came first, where modules have names of Python's own, such as ``numbers``."""


class ElsewhereError(Exception):
    """That Python can't be asked; ``str()`` says why, in its own words."""


class Looked(msgspec.Struct, frozen=True):
    """What a Python says of itself."""

    prefix: str
    """Folder of its environment."""
    executable: str
    checks: list[Check]

    @property
    def ok(self) -> bool:
        return all(check.ok for check in self.checks)

    @property
    def is_this_one(self) -> bool:
        """Whether it is the environment that tritontui itself runs in."""
        return Path(self.prefix).resolve() == Path(sys.prefix).resolve()


def look_at(python: str, seconds: float = SECONDS) -> Looked:
    """Run the checks in ``python``, the path of an interpreter or of a virtual environment. Raises ElsewhereError."""
    path = Path(python).expanduser()
    if path.is_dir():
        path = path / "bin" / "python"
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    try:
        done = subprocess.run(
            [str(path), "-c", _RUN, str(_SCRIPT)],
            capture_output=True,
            text=True,
            timeout=seconds,
            env=environment,
            check=False,
        )
    except OSError as error:
        raise ElsewhereError(f"{path}: {error.strerror}") from error
    except subprocess.TimeoutExpired as error:
        raise ElsewhereError(f"{path}: no answer in {seconds:g} s") from error
    try:
        return msgspec.json.decode(done.stdout.strip().rpartition("\n")[2], type=Looked)
    except msgspec.MsgspecError as error:
        words = (done.stderr or done.stdout).strip().rpartition("\n")[2]
        raise ElsewhereError(f"{path}: {words or 'no answer'}") from error
