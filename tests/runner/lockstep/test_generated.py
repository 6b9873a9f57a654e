"""Generated kernels against Triton's own interpreter, bit for bit.

``TRITONTUI_GENERATED`` says how many (CI tries 2,000 besides); a failure prints the kernel. They come in batches, for
each starts an interpreter of its own, and each batch is a test, so that workers share them.
"""

from __future__ import annotations

import importlib
import inspect
import os
import sys
from random import Random

import pytest
import torch
from generator import module_of
from oracle import VERSION, is_older, oracle_outputs

from tritontui.runner.lockstep import tracing

KERNELS = int(os.environ.get("TRITONTUI_GENERATED", "50"))
BATCH = min(125, KERNELS)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("batch", range(max(1, KERNELS // BATCH)))
def test_generated_kernels_agree(folder, batch):
    random = Random(batch)
    agree(folder, f"generated_{batch}", [random.getrandbits(48) for _ in range(BATCH)])


def agree(folder, name, seeds):
    (folder / f"{name}.py").write_text(module_of(seeds))
    theirs = oracle_outputs(name, "GENERATED", folder / f"{name}.pt")
    module = importlib.import_module(name)
    try:
        for case in module.GENERATED.cases:
            source = inspect.getsource(getattr(module, case.name.replace("case", "kernel")).fn)
            if is_older(theirs[VERSION], "3.7") and " / " in source:
                continue  # its maximum and minimum give NaN where one side is NaN
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
