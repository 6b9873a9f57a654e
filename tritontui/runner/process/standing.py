"""What the operating system lets this process do: limits, masks, priorities. A run may change them; the next is owed
what was there before."""

from __future__ import annotations

import os
import resource
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

_LIMITS = sorted({number for name, number in vars(resource).items() if name.startswith("RLIMIT_")})

# the learner may patch the modules
_get_limit, _set_limit = resource.getrlimit, resource.setrlimit
_set_mask = signal.pthread_sigmask
_set_umask, _stat = os.umask, os.stat
_get_priority, _set_priority = os.getpriority, os.setpriority
_owners = tuple(getattr(os, name) for name in ("getuid", "geteuid", "getgid", "getegid"))
_get_cpus, _set_cpus = getattr(os, "sched_getaffinity", None), getattr(os, "sched_setaffinity", None)  # Linux


@dataclass
class Standing:
    """As it was before a run. Of the main thread, where threads have their own."""

    limits: Mapping[int, tuple[int, int]]
    mask: set[int]
    umask: int
    priority: int
    cpus: Any
    owner: tuple[int, ...]
    in_a_folder: bool
    """The working directory is still there."""
    lost: bool = field(default=False, compare=False)
    """Something could not be put back: a hard limit that was lowered, a priority that was given up."""

    @classmethod
    def now(cls) -> Standing:
        umask = _set_umask(0o077)
        _set_umask(umask)
        return cls(
            limits={number: _get_limit(number) for number in _LIMITS},
            mask=_set_mask(signal.SIG_BLOCK, ()),
            umask=umask,
            priority=_get_priority(os.PRIO_PROCESS, 0),
            cpus=_get_cpus(0) if _get_cpus else None,
            owner=tuple(owner() for owner in _owners),
            in_a_folder=_stat(".").st_nlink > 0,
        )

    @contextmanager
    def kept(self) -> Iterator[None]:
        """While active it may change; afterwards it is put back, and ``lost`` says whether that couldn't be done."""
        try:
            yield
        finally:
            if Standing.now() != self:
                self._put_back()
                self.lost = Standing.now() != self

    def _put_back(self) -> None:
        _set_mask(signal.SIG_SETMASK, self.mask)
        _set_umask(self.umask)
        for number, limits in self.limits.items():
            with suppress(OSError, ValueError):
                _set_limit(number, limits)
        with suppress(OSError):
            _set_priority(os.PRIO_PROCESS, 0, self.priority)
        if _set_cpus:
            with suppress(OSError):
                _set_cpus(0, self.cpus)
