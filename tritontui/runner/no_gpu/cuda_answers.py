"""What scripts ask of ``torch.cuda``, answered for one GPU that is really the CPU.

What can't be known here is answered as nothing: no time (NaN), no memory in use.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from types import SimpleNamespace, TracebackType
from typing import Any, Protocol

import torch

from tritontui.engine.targets import DEFAULT_TARGET
from tritontui.runner.compiler.occupancy import MULTIPROCESSORS, THREADS_PER_BLOCK
from tritontui.runner.compiler.target import TargetDriver
from tritontui.runner.triton_compat import driver

NAME = "CPU, traced"
MEMORY_BYTES = 1 << 36


class Asked(Protocol):
    """Notes that CUDA was asked for."""

    asked: bool


def torch_cuda(mode: Asked) -> dict[str, Any]:
    """Attributes of ``torch.cuda`` by name; no two are one function, since ``torch.compile`` keeps them apart."""
    generator = Generator()

    def nothing() -> Callable[..., None]:
        def answer(*_: Any, **__: Any) -> None:
            mode.asked = True

        return answer

    def always(value: Any) -> Callable[..., Any]:
        return lambda *_, **__: value

    return {
        "is_available": lambda: True,
        "is_initialized": lambda: True,
        "is_bf16_supported": lambda *_, **__: True,
        "device_count": lambda: 1,
        "current_device": lambda: 0,
        "get_device_name": lambda *_: NAME,
        "get_device_capability": lambda *_: _capability(),
        "get_device_properties": lambda *_: _properties(),
        "mem_get_info": lambda *_: (MEMORY_BYTES, MEMORY_BYTES),
        **{name: always(0) for name in ("memory_allocated", "max_memory_allocated", "memory_reserved")},
        **{name: nothing() for name in ("set_device", "synchronize", "empty_cache", "init", "set_stream")},
        **{name: nothing() for name in ("ipc_collect", "reset_peak_memory_stats", "reset_max_memory_allocated")},
        "default_generators": (generator,),
        "manual_seed": lambda seed: generator.manual_seed(seed) and None,  # torch itself calls these
        "manual_seed_all": lambda seed: generator.manual_seed(seed) and None,  # for every torch.manual_seed
        "initial_seed": lambda: generator.initial_seed(),
        "get_rng_state": lambda *_: generator.get_state(),
        "set_rng_state": lambda state, *_: generator.set_state(state),
        **{name: always(0) for name in ("_exchange_device", "_maybe_exchange_device", "max_memory_reserved")},
        "is_current_stream_capturing": lambda: False,
        "get_arch_list": lambda: ["sm_{}{}".format(*_capability())],
        "device": lambda *_: nullcontext(),
        "device_of": lambda *_: nullcontext(),
        "_DeviceGuard": lambda *_: nullcontext(),  # in what torch.compile writes, which people keep
        "stream": lambda *_: nullcontext(),
        "current_stream": lambda *_: Stream(),
        "default_stream": lambda *_: Stream(),
        "CUDAGraph": _no_graph,
        "Stream": Stream,
        "Event": Event,
        "nvtx": SimpleNamespace(
            range=lambda *_, **__: nullcontext(), range_push=nothing(), range_pop=nothing(), mark=nothing()
        ),
    }


def _no_graph(*_: Any, **__: Any) -> Any:
    raise RuntimeError("a CUDA graph can't be captured on the CPU, where a trace runs every kernel")


def _target() -> Any:
    """The driver that answers for the compiler's target."""
    active = driver.active
    return active if isinstance(active, TargetDriver) else TargetDriver(DEFAULT_TARGET)


def _capability() -> tuple[int, int]:
    arch = _target().get_current_target().arch
    return divmod(arch, 10) if isinstance(arch, int) else (9, 0)


def _properties() -> SimpleNamespace:
    """As of the card that the target's tables describe; the memory is made up."""
    target = _target()
    known = target.utils.get_device_properties(0)
    sm = MULTIPROCESSORS.get(target.get_current_target().arch)
    major, minor = _capability()
    return SimpleNamespace(
        name=NAME,
        major=major,
        minor=minor,
        multi_processor_count=known["multiprocessor_count"],
        total_memory=MEMORY_BYTES,
        warp_size=known["warpSize"],
        shared_memory_per_block=48 * 1024,
        shared_memory_per_block_optin=known["max_shared_mem"],
        shared_memory_per_multiprocessor=sm.shared_bytes if sm else known["max_shared_mem"],
        regs_per_multiprocessor=known["max_num_regs"],
        max_threads_per_multi_processor=sm.warps * sm.threads_per_warp if sm else 2 * THREADS_PER_BLOCK,
    )


class Generator:
    """CUDA's random generator as kernels use it: a seed and an offset for Philox, 16 bytes."""

    device = torch.device("cuda", 0)

    def __init__(self) -> None:
        self._state = torch.zeros(2, dtype=torch.int64)

    def manual_seed(self, seed: int) -> Generator:
        self._state = torch.tensor([seed & (1 << 63) - 1, 0])
        return self

    def initial_seed(self) -> int:
        return int(self._state[0])

    def get_offset(self) -> int:
        return int(self._state[1])

    def set_offset(self, offset: int) -> None:
        self._state[1] = offset

    def get_state(self) -> torch.Tensor:
        """Seed and offset, a copy."""
        return self._state.clone().view(torch.uint8)

    def set_state(self, state: torch.Tensor) -> Generator:
        self._state = state.clone().view(torch.int64)
        return self


class Stream:
    """A CUDA stream; whatever is put on it has happened."""

    cuda_stream = 0
    device = torch.device("cuda", 0)

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def __enter__(self) -> Stream:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass

    def synchronize(self) -> None:
        pass

    def wait_stream(self, _: Any) -> None:
        pass

    def wait_event(self, _: Any) -> None:
        pass

    def record_event(self, event: Event | None = None) -> Event:
        return event or Event()

    def query(self) -> bool:
        return True


class Event:
    """A CUDA event that can't tell the time."""

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def record(self, *_: Any) -> None:
        pass

    def wait(self, *_: Any) -> None:
        pass

    def synchronize(self) -> None:
        pass

    def query(self) -> bool:
        return True

    def elapsed_time(self, _: Any) -> float:
        return float("nan")
