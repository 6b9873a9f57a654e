"""Run this folder's tests on other versions of Triton, each in a virtual environment of its own.

    python tests/runner/lockstep/versions.py 3.4.0 3.6.0 [--folder DIR] [--pytest ARGUMENTS]

Everything but Triton comes from the environment that runs this script, whose Triton also stays the oracle: before 3.7
Triton's own interpreter fails on loops under NumPy 2.4 and later, which ours must not.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

HERE = Path(__file__).parent


def environment(version: str, folder: Path) -> Path:
    """Python of an environment with that Triton before everything that is installed here."""
    home = folder / f"triton-{version}"
    python = home / "bin" / "python"
    if not python.exists():
        venv.create(home, with_pip=True)
        lib = next((home / "lib").glob("python*")) / "site-packages"
        (lib / "everything_else.pth").write_text(sysconfig.get_path("purelib") + "\n")
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-deps", f"triton=={version}"], check=True)
    return python


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("versions", nargs="+", metavar="VERSION")
    parser.add_argument("--folder", type=Path, default=Path.home() / ".cache" / "tritontui-tests")
    parser.add_argument("--pytest", nargs=argparse.REMAINDER, default=[], help="arguments for pytest")
    arguments = parser.parse_args()
    failed = []
    for version in arguments.versions:
        python = environment(version, arguments.folder)
        print(f"Triton {version}", flush=True)
        command = [python, "-m", "pytest", "-n0", str(HERE), *arguments.pytest]
        variables = {**os.environ, "TRITONTUI_ORACLE_PYTHON": sys.executable}
        if subprocess.run(command, env=variables, check=False).returncode:
            failed.append(version)
    if failed:
        print(f"failed on Triton {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
