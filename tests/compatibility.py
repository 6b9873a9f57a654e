"""Run the tests on other Pythons, with other versions of torch and Triton, and print a table of the results.

    python tests/compatibility.py [--python python3.10 …] [--pair oldest …] [--keep] [--pytest ARGUMENTS]

Every Python asked for gets each pair of torch and Triton below in an environment of its own, made in ``--folder`` and
removed after its run unless ``--keep``: several gigabytes each, since the default build of torch brings CUDA. Made for
once a week. Exit status 1 if any of them fails. ``runner/lockstep/versions.py`` is the quicker one: it changes Triton
alone, and can ask the interpreter of that version.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
PYTHONS = ("python3.10", "python3.11", "python3.12", "python3.13")
SHOWN = ("torch", "triton", "numpy")


class Pair(NamedTuple):
    """A torch and a Triton, as pip's requirements."""

    name: str
    requirements: tuple[str, ...]


PAIRS = (
    Pair("oldest", ("torch==2.8.0", "triton==3.4.0")),  # the lower bounds in pyproject.toml
    Pair("3.6", ("torch==2.10.0", "triton==3.6.0")),
    Pair("newest", ("torch", "triton")),
)


def environment(python: str, pair: Pair, folder: Path) -> Path:
    """Python of an environment that has the pair and tritontui with its tests' needs.

    Raises ``subprocess.CalledProcessError`` when it can't be installed.
    """
    home = folder / f"{Path(python).name}-{pair.name}"
    interpreter = home / "bin" / "python"
    if not interpreter.exists():
        subprocess.run([python, "-m", "venv", str(home)], check=True)
    install = [interpreter, "-m", "pip", "install", "--quiet"]
    subprocess.run([*install, *pair.requirements], check=True)
    # The pair is named again, so that nothing else moves it.
    subprocess.run([*install, "-e", f"{ROOT}[test]", *pair.requirements], check=True)
    return interpreter


def versions(interpreter: Path) -> list[str]:
    """Python's version and those of ``SHOWN``, as installed there."""
    code = "import platform, sys\nfrom importlib.metadata import version\nprint(platform.python_version())\n"
    code += "print(*map(version, sys.argv[1:]), sep='\\n')"
    return subprocess.run([interpreter, "-c", code, *SHOWN], check=True, capture_output=True, text=True).stdout.split()


def row(python: str, pair: Pair, folder: Path, tests: Sequence[str], *, keep: bool) -> tuple[list[str], bool]:
    """The cells of one environment, and whether all passed there."""
    try:
        interpreter = environment(python, pair, folder)
        cells = versions(interpreter)
        passed = subprocess.run([interpreter, "-m", "pytest", *tests], cwd=ROOT, check=False).returncode == 0
    except (OSError, subprocess.CalledProcessError) as error:
        return [python, *pair.requirements, "", f"not installed: {error}"], False
    finally:
        if not keep:
            shutil.rmtree(folder / f"{Path(python).name}-{pair.name}", ignore_errors=True)
    return [*cells, "all pass" if passed else "FAILS"], passed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", nargs="+", default=PYTHONS, metavar="PYTHON", help="commands or paths")
    names = [pair.name for pair in PAIRS]
    parser.add_argument("--pair", nargs="+", default=names, choices=names, help="of torch and Triton")
    parser.add_argument("--folder", type=Path, default=Path.home() / ".cache" / "tritontui-tests")
    parser.add_argument("--keep", action="store_true", help="keep the environments")
    parser.add_argument("--pytest", nargs=argparse.REMAINDER, default=[], help="arguments for pytest")
    options = parser.parse_args()
    pairs = [pair for pair in PAIRS if pair.name in options.pair]
    rows = [
        row(python, pair, options.folder, options.pytest, keep=options.keep)
        for python in options.python
        for pair in pairs
    ]
    for cells in (["Python", *SHOWN, "result"], ["---"] * 5, *(cells for cells, _ in rows)):
        print("|", " | ".join(cells), "|")
    return 0 if all(passed for _, passed in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
