"""The third judge: the lockstep interpreter's kernels on the GPU, with the same inputs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import torch
import triton

sys.path.insert(0, str(Path(__file__).parents[1] / "runner" / "lockstep"))

from corpus import KERNELS
from test_features import CASES

from tritontui.runner.lockstep import tracing
from tritontui.runner.triton_compat import JITFunction

NOT_HERE = {
    "grouped_gemm_through_tables_of_pointers": "passes addresses of the host's memory as numbers",
    "atomics_of_all_kinds": "old values depend on who comes first",
    "mandelbrot": "at the edge of the set one rounding decides, and a GPU fuses multiply-adds",
    "atomic_cas": "which exchanges succeed depends on who comes first",
    "atomic_bits_and_scalars": "old values depend on who comes first",
}
"""Cases that the GPU may answer otherwise, with the reason."""
ANY_ORDER = {"stream_compaction"}
"""Cases whose results may stand in any order."""
FEWEST_COMPARED = 0.8
"""Of the cases: an older Triton can't compile all that the newest can, which is no disagreement."""
TOLERANCE = {torch.float64: 1e-9, torch.float32: 2e-4, torch.float16: 1e-2, torch.bfloat16: 3e-2}
"""Relative to an output's largest value: another order of sums, fused multiply-adds, the GPU's own exp and sin."""


class Moved:
    """Copies on a device of what a launch is given; tensors that share a storage go on sharing it."""

    def __init__(self, device: str) -> None:
        self.device = device
        self.storages: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}

    def there(self, value: Any) -> Any:
        """``value`` with every tensor in it replaced by its copy."""
        if isinstance(value, torch.Tensor):
            return self._tensor(value)
        if isinstance(value, tuple):
            parts = [self.there(part) for part in value]
            return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
        if isinstance(getattr(value, "base", None), torch.Tensor):
            return type(value).from_tensor(self.there(value.base), list(value.block_shape))
        return value

    def back(self) -> None:
        """Bring what the device holds now back into the tensors that were passed."""
        for here, there in self.storages.values():
            here.copy_(there)

    def _tensor(self, tensor: torch.Tensor) -> torch.Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in self.storages:
            here = torch.empty(0, dtype=torch.uint8).set_(storage)
            self.storages[storage.data_ptr()] = here, here.to(self.device, copy=True)
        there = self.storages[storage.data_ptr()][1].untyped_storage()
        view = torch.empty(0, dtype=tensor.dtype, device=self.device)
        return view.set_(there, tensor.storage_offset(), tensor.shape, tensor.stride())


@contextmanager
def launched_on(device: str) -> Iterator[None]:
    """Every launch in the block runs on ``device``, though its tensors are the host's."""
    original = JITFunction.run

    def run(kernel: Any, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> Any:
        moved = Moved(device)
        named = {name: moved.there(value) for name, value in kwargs.items()}
        result = original(kernel, *moved.there(args), grid=grid, warmup=warmup, **named)
        torch.cuda.synchronize()
        moved.back()
        return result

    # descriptors made in a kernel live in memory that the host provides
    triton.set_allocator(lambda size, _alignment, _stream: torch.empty(size, dtype=torch.int8, device=device))
    JITFunction.run = run
    try:
        yield
    finally:
        JITFunction.run = original


def disagreement(ours: list[torch.Tensor], theirs: list[torch.Tensor], case: Any) -> str:
    """What differs, in words; "" when nothing does."""
    for number, (mine, other) in enumerate(zip(ours, theirs, strict=True)):
        if case.name in ANY_ORDER:
            mine, other = mine.flatten().sort().values, other.flatten().sort().values
        exact = not mine.is_floating_point()
        scale = float(other.double().nan_to_num(posinf=0, neginf=0).abs().max()) if other.numel() else 0.0
        tolerance = 0.0 if exact else TOLERANCE.get(mine.dtype, 0.13) * max(scale, 1e-30) + case.atol
        close = torch.isclose(mine.double(), other.double(), rtol=case.rtol, atol=tolerance, equal_nan=True)
        if not close.all():
            where = tuple((~close).nonzero()[0].tolist())
            wrong = int((~close).sum())
            return f"output {number}, {wrong} of {close.numel()}, first at {where}: {mine[where]} for {other[where]}"
    return ""


def outcome(case: Any, device: str) -> str | None:
    """What differs, in words; None where this Triton can't compile the case."""
    with tracing():
        ours = case.launch()
    try:
        with launched_on(device):
            theirs = case.launch()
    except Exception as error:
        torch.cuda.synchronize()  # raises, and ends the test, when the context is lost: nothing after it would be true
        print(f"{case.name}: {type(error).__name__}: {error}")
        return None
    return disagreement(ours, theirs, case)


@pytest.mark.parametrize("cases", [KERNELS.cases, CASES], ids=["well-known kernels", "features"])
def test_lockstep_agrees_with_the_gpu(cases: list[Any], device: str) -> None:
    asked = [case for case in cases if case.name not in NOT_HERE]
    found = {case.name: outcome(case, device) for case in asked}
    wrong = [f"{name}: {said}" for name, said in found.items() if said]
    compared = [name for name, said in found.items() if said is not None]
    assert not wrong, f"{len(wrong)} of {len(compared)} disagree:\n" + "\n".join(wrong)
    assert len(compared) >= FEWEST_COMPARED * len(asked), sorted(set(found) - set(compared))
