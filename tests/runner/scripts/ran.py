"""A script that was traced, and what was replied."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from tritontui.diagnosis.finding import Finding
from tritontui.engine.messages import Found, LaunchSummary, Reply, ScriptDone, Traced

KERNEL = """\
import sys
import torch, triton
import triton.language as tl

@triton.jit
def copy_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offs, tl.load(x_ptr + offs, mask=offs < n), mask=offs < n)

def copy(x, n=None):
    out = torch.empty_like(x)
    n = n or x.numel()
    copy_kernel[(triton.cdiv(n, 32),)](x, out, n, BLOCK=32)
    return out
"""


@dataclass
class Ran:
    replies: list[Reply]
    output: str = ""
    errors: str = ""
    launches: list[LaunchSummary] = field(default_factory=list)
    findings: list[tuple[int | None, Finding]] = field(default_factory=list)

    def __post_init__(self) -> None:
        for reply in self.replies:
            if isinstance(reply, Traced):
                self.launches += reply.launches
            elif isinstance(reply, Found):
                self.findings += [(reply.launch, finding) for finding in reply.findings]

    @property
    def done(self) -> ScriptDone:
        (last,) = [reply for reply in self.replies if isinstance(reply, ScriptDone)]
        assert self.replies[-1] is last
        return last

    @property
    def ids(self) -> list[tuple[int | None, str]]:
        return [(launch, finding.id) for launch, finding in self.findings if finding.severity != "note"]


Run = Callable[..., Ran]
