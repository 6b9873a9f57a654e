"""Generated kernels against Triton's own interpreter, bit for bit.

``TRITONTUI_GENERATED`` says how many (2,000 in CI's long run); a failure prints the kernel.
"""

from __future__ import annotations

import importlib
import inspect
import os
import sys

import pytest
import torch
from generator import module_of
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from oracle import oracle_outputs

from tritontui.runner.lockstep import tracing

BATCH = 150
KERNELS = int(os.environ.get("TRITONTUI_GENERATED", "300"))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


@settings(
    max_examples=max(1, KERNELS // BATCH),
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@given(seeds=st.lists(st.integers(0, 1 << 48), min_size=BATCH, max_size=BATCH, unique=True))
def test_generated_kernels_agree(folder, seeds):
    name = f"generated_{abs(hash(tuple(seeds)))}"
    (folder / f"{name}.py").write_text(module_of(seeds))
    theirs = oracle_outputs(name, "GENERATED", folder / f"{name}.pt")
    module = importlib.import_module(name)
    try:
        for case in module.GENERATED.cases:
            source = inspect.getsource(getattr(module, case.name.replace("case", "kernel")).fn)
            with tracing() as session:
                ours = case.launch()
            expected = theirs[case.name]
            assert not isinstance(expected, str), f"{expected}\n{source}"
            assert session.traces[0].mode == "lockstep"
            for mine, other in zip(ours, expected, strict=True):
                same = torch.equal(mine.nan_to_num(nan=12345.0), other.nan_to_num(nan=12345.0))
                assert same, f"seed {case.name}: {difference(mine, other)}\n{source}"
    finally:
        del sys.modules[name]


def difference(mine, other):
    where = (mine.nan_to_num(nan=12345.0) != other.nan_to_num(nan=12345.0)).nonzero()[0].tolist()
    return f"{mine.dtype} at {where}: {mine[tuple(where)]} for {other[tuple(where)]}"
