"""Host code judged without a GPU: its tensors pass for a GPU's, but those that it leaves in main memory don't."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

from tritontui.runner.cases.host import tensors_in
from tritontui.runner.no_gpu.cuda_on_cpu import CudaOnCpu, asked_from_inside, cuda_on_cpu, is_kept_on_host, keep_on_host
from tritontui.runner.replaced import replaced
from tritontui.runner.triton_compat import JITFunction

_MAIN_MEMORY = torch.device("cpu")

_REFUSED = "Pointer argument (at {}) cannot be accessed from Triton (cpu tensor?)"
"""In Triton's own words."""

_FACTORIES = frozenset(
    getattr(torch, name)
    for name in (
        *("empty", "empty_strided", "zeros", "ones", "full", "rand", "randn", "randint", "randperm", "arange"),
        *("linspace", "eye", "tensor", "as_tensor", "from_numpy", "frombuffer"),
    )
)
"""What makes a tensor from none, in main memory unless a device is named."""


class FollowedHost(CudaOnCpu):
    """Also follows which tensors a GPU's program would have in main memory."""

    def __init__(self, *, asked: bool = False) -> None:
        super().__init__()
        self.asked = asked

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        named = [self.names_cuda(value) for value in (*args, *(kwargs or {}).values()) if _is_device(value)]
        operands = [*tensors_in(args), *tensors_in(kwargs or {})]
        result = super().__torch_function__(func, types, args, kwargs)
        if not isinstance(result, torch.Tensor):
            return result
        if asked_from_inside():  # a module that is moved asks so for its buffers
            return _copy(result) if any(named) and is_kept_on_host(result) else result
        stays = bool(operands) and all(map(is_kept_on_host, operands))
        if named:
            stays = not any(named)
        elif func in _FACTORIES and not operands:
            stays = not self.cuda_by_default
        elif func is torch.Tensor.cpu:
            stays = True
        elif func is torch.Tensor.cuda:
            stays = False
        moves = bool(operands) and stays != is_kept_on_host(operands[0])
        if moves and result is operands[0]:  # here both memories are one, so nothing was copied
            result = _copy(result)
        return keep_on_host(result) if stays else result


def _copy(tensor: torch.Tensor) -> torch.Tensor:
    return torch.Tensor.to(tensor, _MAIN_MEMORY, copy=True)


@contextmanager
def as_on_a_gpu() -> Iterator[None]:
    """The learner's code sees CPU tensors as a GPU's: what asks for CUDA, or whether it is there, gets a yes.

    Launching a kernel on a tensor that a GPU couldn't reach raises ``ValueError``, as Triton does on a GPU.
    """
    with cuda_on_cpu(FollowedHost(asked=True)), refusing_main_memory(even_alone=True):
        yield


@contextmanager
def refusing_main_memory(*, even_alone: bool) -> Iterator[None]:
    """Launches on tensors that ``FollowedHost`` keeps in main memory raise ``ValueError``.

    ``even_alone``: also where no other tensor of the launch is on the GPU: a script may mean the CPU.
    """
    run = JITFunction.run

    def checked(kernel: Any, *args: Any, **kwargs: Any) -> Any:
        named = {**dict(zip(kernel.arg_names, args, strict=False)), **kwargs}
        tensors = [(at, value) for at, name in enumerate(kernel.arg_names) for value in tensors_in(named.get(name))]
        kept = [at for at, tensor in tensors if is_kept_on_host(tensor)]
        if kept and (even_alone or len(kept) < len(tensors)):
            raise ValueError(_REFUSED.format(kept[0]))
        return run(kernel, *args, **kwargs)

    with replaced((JITFunction, "run", checked)):
        yield


def _is_device(value: Any) -> bool:
    return isinstance(value, torch.device) or (isinstance(value, str) and value.split(":")[0] in ("cpu", "cuda"))
