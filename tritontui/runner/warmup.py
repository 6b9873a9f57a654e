"""What a fresh child does before it says that it is ready: load whatever the first run would have to wait for."""

from __future__ import annotations

import contextlib

import torch

from tritontui.runner.compiler.compile import Compiler, Launch
from tritontui.runner.compiler.target import compiling_for
from tritontui.runner.lockstep import tracing
from tritontui.runner.measuring.kernels import copy_kernel
from tritontui.runner.session import Session

BLOCK = 1024

THREADS = 2
"""Of torch in the CPU child: its tensors are small, and threads that wait for each other cost more than they bring."""


def warm_up(session: Session) -> None:
    """Interpret and compile a small kernel, or launch it on a GPU. A failure here comes again, in words, when asked."""
    if session.device != "cpu":
        with contextlib.suppress(Exception):
            _launch(session.device)
        return
    torch.set_num_threads(min(THREADS, torch.get_num_threads()))
    with compiling_for(session.target):
        with contextlib.suppress(Exception):
            _interpret()
        with contextlib.suppress(Exception):
            _compile(session.target)


def _interpret() -> None:
    source = torch.ones(BLOCK)
    with tracing():
        copy_kernel[(1,)](source, torch.empty_like(source), BLOCK, block=BLOCK)


def _compile(target: str) -> None:
    memory = torch.ones(BLOCK)
    launch = Launch(copy_kernel, {"source_ptr": memory, "target_ptr": memory, "n": BLOCK, "block": BLOCK}, {})
    compiler = Compiler()
    compiler.check(launch)
    compiler.build(launch, target)


def _launch(device: str) -> None:
    source = torch.ones(BLOCK, device=device)
    copy_kernel[(1,)](source, torch.empty_like(source), BLOCK, block=BLOCK)
    torch.cuda.synchronize(device)
