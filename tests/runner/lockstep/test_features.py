"""Every feature of the language against Triton's own interpreter, or against what is right where that one isn't."""

from __future__ import annotations

import inspect

import pytest
import torch
import triton.language as tl
from features import FEATURES
from oracle import VERSION, is_older, oracle_outputs
from triton.language.extra.cuda import gdc_wait
from triton.language.semantic import TritonSemantic

from tritontui.runner.lockstep import TraceOptions, tracing


@pytest.fixture(scope="module")
def oracle(tmp_path_factory):
    return oracle_outputs("features", "FEATURES", tmp_path_factory.mktemp("oracle") / "features.pt")


def assert_same(ours, theirs, case):
    assert len(ours) == len(theirs)
    for mine, other in zip(ours, theirs, strict=True):
        if mine.is_floating_point():
            torch.testing.assert_close(mine.double(), other.double(), rtol=case.rtol, atol=case.atol, equal_nan=True)
        else:
            assert torch.equal(mine, other)


AVAILABLE = {
    "": True,
    "block pointers": hasattr(TritonSemantic, "make_block_ptr"),
    "dependent launches": "_semantic" in inspect.signature(gdc_wait).parameters,  # not in 3.4, nor for its compiler
    "padding of descriptors": "padding_option" in inspect.signature(TritonSemantic.make_tensor_descriptor).parameters,
}
CASES = [case for case in FEATURES.cases if AVAILABLE.get(case.needs, hasattr(tl, case.needs))]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_feature_agrees(case, oracle):
    with tracing() as session:
        ours = case.launch()
    assert session.traces[0].complete
    if is_older(oracle[VERSION], case.oracle_since):
        pytest.skip(f"the interpreter of Triton {oracle[VERSION]} is wrong here")
    theirs = case.expected() if case.wrong_oracle else oracle[case.name]
    assert not isinstance(theirs, str), theirs
    assert_same(ours, theirs, case)


@pytest.mark.parametrize("order", ["forward", "reverse", "shuffled"])
@pytest.mark.parametrize("case", [case for case in CASES if "atomic" not in case.name], ids=lambda case: case.name)
def test_one_program_at_a_time_gives_the_same(case, order):
    with tracing():
        together = case.launch()
    with tracing(TraceOptions(order=order)):
        apart = case.launch()
    assert_same(together, apart, case)
