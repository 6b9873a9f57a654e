"""As fake_runner.py on a machine whose GPU can't be used: the library finds it, torch refuses it."""

from __future__ import annotations

from fake_runner import handlers

from tritontui.engine.messages import GpuInfo
from tritontui.runner import __main__ as runner


def refuse(device: str) -> GpuInfo:
    raise RuntimeError("Found no NVIDIA driver on your system")


if __name__ == "__main__":
    runner._gpu = refuse
    runner.main(handlers=handlers)
