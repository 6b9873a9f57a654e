"""Looks at the Python that runs it, which needn't have tritontui: ``PATH elsewhere.py`` prints one JSON object.

Nothing but the standard library is taken for granted; torch and triton are what is looked for. The checks are a part
of ``runner.doctor.probe``'s, by the same names, so that the same words are said of them.
"""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

OLDEST = {"python": (3, 10), "torch": (2, 8), "triton": (3, 4)}
"""As in pyproject.toml."""

KERNEL = """
import torch
import triton
import triton.language as tl


@triton.jit
def copy_kernel(source_ptr, target_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    tl.store(target_ptr + offs, tl.load(source_ptr + offs, mask=mask), mask=mask)


source = torch.arange(1000, dtype=torch.float32, device="cuda")
target = torch.zeros_like(source)
copy_kernel[(4,)](source, target, 1000, BLOCK=256)
RIGHT = bool(torch.equal(source, target))
"""


def check(identifier: str, ok: bool, detail: str, **params: Any) -> dict[str, Any]:
    return {"id": identifier, "ok": ok, "detail": detail, "params": params}


def version(name: str, found: str) -> dict[str, Any]:
    oldest = OLDEST[name]
    numbers = tuple(int(part) for part in re.findall(r"\d+", found)[:2])
    return check(name, numbers >= oldest, found, found=found, needed=".".join(map(str, oldest)))


def imported(name: str) -> tuple[str | None, dict[str, Any]]:
    """The version of an installed module, or why there is none."""
    try:
        module = __import__(name)
    except Exception as error:
        return None, check(f"{name}-import", False, f"{type(error).__name__}: {error}", reason=str(error))
    if not hasattr(module, "__version__"):  # such as a file of the learner's, called triton.py
        path = getattr(module, "__file__", None) or str(*list(module.__path__)[:1])
        return None, check("module-shadowed", False, path, name=name, path=path)
    return str(module.__version__), version(name, str(module.__version__))


def pin(triton: str) -> dict[str, Any]:
    """The Triton that the installed PyTorch was built with; its CPU build asks for none."""
    from importlib.metadata import requires

    wanted = [re.search(r"==\s*([\d.]+)", line) for line in requires("torch") or [] if line.startswith("triton")]
    needed = next((match[1] for match in wanted if match), "")
    detail = f"torch asks for {needed or 'no particular version'}"
    return check("torch-triton", not needed or triton.startswith(needed), detail, found=triton, needed=needed)


def built_for_gpu() -> dict[str, Any]:
    import torch

    gpus = len([node for node in Path("/dev").glob("nvidia*") if node.name[6:].isdigit()])
    detail = f"{gpus} NVIDIA GPU, CUDA {torch.version.cuda or '-'}"
    return check("torch-gpu", not gpus or torch.version.cuda is not None, detail, gpus=gpus)


def interpret_variable() -> dict[str, Any]:
    """With it set Triton can't compile; a file of the environment may set it whenever Python starts."""
    value = os.environ.get("TRITON_INTERPRET", "")
    return check("interpret-variable", value in ("", "0"), value or "not set", value=value)


def c_compiler() -> dict[str, Any]:
    names = [os.environ.get("CC", ""), "gcc", "clang", "cc"]
    found = next((path for name in names if name and (path := shutil.which(name))), None)
    return check("c-compiler", found is not None, found or "none found", path=found or "")


def launch() -> dict[str, Any]:
    """A kernel in a file, as Triton wants it."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "copy_kernel.py").write_text(KERNEL, encoding="utf-8")
        sys.path.insert(0, folder)
        try:
            right = __import__("copy_kernel").RIGHT
        except Exception as error:
            return check("gpu-launch", False, f"{type(error).__name__}: {error}", reason=str(error))
    return check("gpu-launch", right, "copy", reason="" if right else "wrong result")


def checks() -> Iterator[dict[str, Any]]:
    yield version("python", platform.python_version())
    torch, said = imported("torch")
    yield said
    triton, said = imported("triton")
    yield said
    if torch and triton:
        yield pin(triton)
    if torch:
        yield built_for_gpu()
    yield interpret_variable()
    yield c_compiler()
    if torch and triton and __import__("torch").cuda.is_available():
        yield launch()


if __name__ == "__main__":
    print(json.dumps({"prefix": sys.prefix, "executable": sys.executable, "checks": list(checks())}))
