"""What a fresh child does before it says that it is ready: load whatever the first run would have to wait for."""

from __future__ import annotations

import contextlib

import torch

from tritontui.runner.compile import Compiler, Launch
from tritontui.runner.kernels import BLOCK, copy_kernel
from tritontui.runner.lockstep import tracing
from tritontui.runner.session import Session
from tritontui.runner.target import compiling_for


def warm_up(session: Session) -> None:
    """Interpret and compile a small kernel, or launch it on a GPU. A failure here comes again, in words, when asked."""
    with contextlib.suppress(Exception):
        if session.device == "cpu":
            _interpret_and_compile(session.target)
        else:
            _launch(session.device)


def _interpret_and_compile(target: str) -> None:
    source, copy = torch.ones(BLOCK), torch.empty(BLOCK)
    with compiling_for(target):
        with tracing():
            copy_kernel[(1,)](source, copy, BLOCK, block=BLOCK)
        arguments = {"source_ptr": source, "target_ptr": copy, "n": BLOCK, "block": BLOCK}
        compiler = Compiler()
        compiler.check(Launch(copy_kernel, arguments, {}))
        compiler.build(Launch(copy_kernel, arguments, {}), target)


def _launch(device: str) -> None:
    source = torch.ones(BLOCK, device=device)
    copy_kernel[(1,)](source, torch.empty_like(source), BLOCK, block=BLOCK)
    torch.cuda.synchronize(device)
