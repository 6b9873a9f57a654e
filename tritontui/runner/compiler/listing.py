"""Answers for the compiler view: one listing of a kernel that a run compiled."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass, field

from tritontui.engine.messages import Listing, ListingRequest
from tritontui.runner.compiler.compile import Built, disassemble
from tritontui.runner.compiler.listings import source_lines, with_true_accesses
from tritontui.runner.compiler.readable import readable
from tritontui.runner.session import Session

_KEY = "compiled kernels"


@dataclass
class _Kept:
    run: int
    kernels: dict[tuple[str, int], Built] = field(default_factory=dict)
    """By name and ``CompilerReport.build``."""


def keep_built(session: Session, run: int, built: Built, build: int = 0) -> None:
    """Keep what ``run`` compiled until another run does."""
    kept = session.cache.get(_KEY)
    if kept is None or kept.run != run:
        kept = session.cache[_KEY] = _Kept(run)
    kept.kernels[built.name, build] = built


def listing(request: ListingRequest, session: Session) -> Listing:
    """Raises LookupError when the run's kernel is gone, or the listing can't be had on this machine."""
    kept = session.cache.get(_KEY)
    if kept is None or kept.run != request.run or (request.kernel, request.build) not in kept.kernels:
        raise LookupError(f"run {request.run} has no {request.kernel}, or is over")
    built = kept.kernels[request.kernel, request.build]
    text = _text(built, request.kind)
    sources = source_lines(request.kind, text, built.file)
    if request.kind == "sass":
        sources = with_true_accesses(text, sources, built.listings["ptx"], built.file)
    pairs = list(readable(request.kind, zip(text.splitlines(), sources, strict=True)))
    return Listing(
        run=request.run,
        request=request.request,
        kind=request.kind,
        lines=[line for line, _ in pairs],
        sources=[source or 0 for _, source in pairs],
    )


def _text(built: Built, kind: str) -> str:
    if kind in built.listings:
        return built.listings[kind]
    if kind != "sass" or "ptx" not in built.listings or built.resources is None:
        raise LookupError(f"{built.target} has no {kind}")
    try:
        return disassemble(built)
    except (OSError, RuntimeError, subprocess.CalledProcessError) as error:
        raise LookupError(f"nvdisasm: {error}") from error
