"""Run this folder's tests on other versions of Triton, each in a virtual environment of its own.

    python tests/runner/lockstep/versions.py 3.4.0 3.6.0 [--own-oracle] [--folder DIR] [--pytest ARGUMENTS]

Everything but Triton comes from the environment that runs this script, whose Triton also stays the oracle: before 3.7
Triton's own interpreter fails on loops under NumPy 2.4 and later, which ours must not. With ``--own-oracle`` each
version's own interpreter is asked too, in a second environment whose NumPy is older.
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


ORACLE_NUMPY = "numpy<2.4"


def environment(version: str, folder: Path, *, oracle: bool = False) -> Path:
    """Python of an environment with that Triton before everything that is installed here; an oracle's has its NumPy."""
    home = folder / (f"triton-{version}-oracle" if oracle else f"triton-{version}")
    packages = [f"triton=={version}", *([ORACLE_NUMPY] if oracle else [])]
    python = home / "bin" / "python"
    if not python.exists():
        venv.create(home, with_pip=True)
        lib = next((home / "lib").glob("python*")) / "site-packages"
        (lib / "everything_else.pth").write_text(sysconfig.get_path("purelib") + "\n")
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-deps", *packages], check=True)
    return python


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("versions", nargs="+", metavar="VERSION")
    parser.add_argument("--own-oracle", action="store_true", help="ask each version's own interpreter too")
    parser.add_argument("--folder", type=Path, default=Path.home() / ".cache" / "tritontui-tests")
    parser.add_argument("--pytest", nargs=argparse.REMAINDER, default=[], help="arguments for pytest")
    arguments = parser.parse_args()
    failed = []
    for version in arguments.versions:
        python = environment(version, arguments.folder)
        oracles = {"this environment's interpreter": Path(sys.executable)}
        if arguments.own_oracle:
            oracles["its own interpreter"] = environment(version, arguments.folder, oracle=True)
        for name, oracle in oracles.items():
            run = f"{version} against {name}"
            print(f"Triton {run}", flush=True)
            command = [python, "-m", "pytest", "-n0", str(HERE), *arguments.pytest]
            variables = {**os.environ, "TRITONTUI_ORACLE_PYTHON": str(oracle)}
            if subprocess.run(command, env=variables, check=False).returncode:
                failed.append(run)
    if failed:
        print(f"failed on Triton {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
