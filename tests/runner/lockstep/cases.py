"""What a kernel case is: a launch that makes its own inputs and gives back the tensors to compare."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch

Launch = Callable[[], list[torch.Tensor]]


@dataclass(frozen=True)
class Case:
    """One kernel with its inputs."""

    name: str
    launch: Launch
    rtol: float = 0.0
    atol: float = 0.0
    wrong_oracle: str = ""
    """Why Triton's own interpreter is wrong on it; then ``expected`` says what is right."""
    oracle_since: str = ""
    """The first version of Triton whose own interpreter answers as the newest does; older ones aren't asked."""
    expected: Callable[[], list[Any]] | None = None
    needs: str = ""
    """What not every version of Triton has: a name in ``triton.language``, or one that ``test_features`` knows."""


@dataclass
class Registry:
    """Collects the cases of a module."""

    cases: list[Case] = field(default_factory=list)

    def add(self, **options: Any) -> Callable[[Launch], Launch]:
        """Register the decorated launch under its function name."""

        def register(launch: Launch) -> Launch:
            self.cases.append(Case(launch.__name__, launch, **options))
            return launch

        return register


def randn(*shape: int, dtype: torch.dtype = torch.float32, seed: int = 0) -> torch.Tensor:
    """Normal numbers, the same in every process."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


def randint(low: int, high: int, *shape: int, dtype: torch.dtype = torch.int32, seed: int = 0) -> torch.Tensor:
    """Integers in low … high−1, the same in every process."""
    return torch.randint(low, high, shape, generator=torch.Generator().manual_seed(seed)).to(dtype)
