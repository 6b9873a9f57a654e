"""``python -m tritontui.runner --device cpu|cuda:N``: one runner child. Spoken to by ``engine/child.py`` only."""

from __future__ import annotations

import argparse
import faulthandler
import gc
import os
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tritontui.engine.messages import Broken, GpuInfo, Ready
from tritontui.runner.process.capture import Capture
from tritontui.runner.process.footprint import limit_memory
from tritontui.runner.process.remains import adopt_orphans
from tritontui.runner.process.wire import Wire

if TYPE_CHECKING:
    from tritontui.runner.serve import Handlers, Server
    from tritontui.runner.session import Session


def main(arguments: Sequence[str] | None = None, handlers: Callable[[], Handlers] | None = None) -> None:
    """Serve until the engine hangs up. What can't be imported is said in a Broken with run 0, and the process ends."""
    options = _options(arguments)
    faults = os.dup(2)  # the engine reads it; prints go elsewhere
    wire = Wire.take_over()
    capture = Capture.take_over(wire.send)
    faulthandler.enable(faults, all_threads=False)
    adopt_orphans()
    if options.device == "cpu":
        limit_memory()  # with CUDA, address space says nothing about memory
    try:
        with _nothing_collected():
            session, ready = _session(options.device)
            served = (handlers or _handlers)()
            server = _server(wire, capture, session, served, faults)
            if handlers is None:
                _warm_up(session)
        wire.send(ready)
        server.serve()
    except BaseException as error:
        words = "".join(traceback.format_exception(error))
        wire.send(Broken(0, f"{type(error).__name__}: {error}", words))
        os._exit(os.EX_UNAVAILABLE)


@contextmanager
def _nothing_collected() -> Iterator[None]:
    """What is imported and made meanwhile stays for good.

    To look through it for garbage takes a tenth of the start, and later a good part of a short run.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def _server(wire: Wire, capture: Capture, session: Session, handlers: Handlers, faults: int) -> Server:
    from tritontui.runner.serve import Server

    return Server(wire, capture, session, handlers, faults)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tritontui.runner", description=__doc__)
    parser.add_argument("--device", default="cpu", help="cpu or cuda:N")
    return parser.parse_args(arguments)


def _session(device: str) -> tuple[Session, Ready]:
    """Import what takes seconds, and say what it is."""
    import numpy
    import torch
    import triton

    from tritontui.engine.targets import DEFAULT_TARGET
    from tritontui.runner.compiler.kernel_cache import ensure_cache
    from tritontui.runner.session import Session

    ensure_cache()
    gpu = _gpu(device) if device != "cpu" else None
    session = Session(device=device, target=gpu.capability if gpu else DEFAULT_TARGET, gpu=gpu)
    ready = Ready(
        device=device,
        python=".".join(map(str, sys.version_info[:3])),
        torch=str(torch.__version__),
        triton=triton.__version__,
        numpy=numpy.__version__,
        target=session.target,
        gpu=gpu,
    )
    return session, ready


def _gpu(device: str) -> GpuInfo:
    """Raises whatever torch raises when the GPU can't be used."""
    from tritontui.runner.measuring.hardware import gpu_info

    return gpu_info(device)


def _warm_up(session: Session) -> None:
    from tritontui.runner.warmup import warm_up

    warm_up(session)


def _handlers() -> Handlers:
    from tritontui.runner import judge
    from tritontui.runner.compiler import listing
    from tritontui.runner.doctor import probe
    from tritontui.runner.measuring import laboratory, sweep
    from tritontui.runner.serve import Handlers
    from tritontui.runner.tracing import trace

    return Handlers(
        judge.judge,
        trace.trace_script,
        trace.tile,
        trace.inspect,
        probe.probe,
        listing.listing,
        trace.steps,
        sweep.sweep,
        laboratory.run_experiment,
    )


if __name__ == "__main__":
    main()
