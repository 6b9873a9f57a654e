"""A virtual environment that is broken on purpose, for whoever wants to practise mending one."""

from __future__ import annotations

import sys
import venv
from pathlib import Path

MARK = "broken-on-purpose.txt"
"""In the environment's folder; it stays there when the environment has been mended."""
_MARK_TEXT = "Made by `tritontui doctor --break`, to practise on. Delete the folder when you are done.\n"
_FAULTS = {
    "triton.py": '"""Trying Triton out."""\n\nprint("does this work?")\n',
    "team_settings.pth": 'import os; os.environ.setdefault("TRITON_INTERPRET", "1")\n',
}
"""Files that somebody left among the packages: one is imported in Triton's place, one runs whenever Python starts."""


def break_one(folder: Path) -> None:
    """Make an environment in ``folder``, which mustn't exist. Raises OSError.

    It needs no network and little room: the packages are those installed here, and what is wrong is in files of its
    own, so that mending it can harm nothing else.
    """
    folder.mkdir(parents=True)
    venv.EnvBuilder(with_pip=False, symlinks=True).create(folder)
    [packages] = folder.glob("lib/python*/site-packages")
    installed = [path for path in sys.path if path.endswith("-packages")]
    (packages / "installed_here.pth").write_text("\n".join(installed) + "\n", encoding="utf-8")
    for name, text in _FAULTS.items():
        (packages / name).write_text(text, encoding="utf-8")
    (folder / MARK).write_text(_MARK_TEXT, encoding="utf-8")


def was_broken(prefix: Path) -> bool:
    """Whether the environment in that folder was made by ``break_one``."""
    return (prefix / MARK).is_file()
