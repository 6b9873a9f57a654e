"""The well-known kernels against Triton's own interpreter, together and one at a time."""

from __future__ import annotations

import pytest
import torch
from corpus import KERNELS
from oracle import oracle_outputs
from test_features import assert_same

from tritontui.runner.lockstep import TraceOptions, tracing


@pytest.fixture(scope="module")
def oracle(tmp_path_factory):
    return oracle_outputs("corpus", "KERNELS", tmp_path_factory.mktemp("oracle") / "corpus.pt")


@pytest.mark.parametrize("case", KERNELS.cases, ids=lambda case: case.name)
def test_kernel_agrees(case, oracle):
    with tracing() as session:
        ours = case.launch()
    theirs = case.expected() if case.wrong_oracle else oracle[case.name]
    assert not isinstance(theirs, str), theirs
    assert_same(ours, theirs, case)
    for trace in session.traces:
        assert trace.complete
        assert all(access.out is None for access in trace.accesses)


@pytest.mark.parametrize("case", KERNELS.cases, ids=lambda case: case.name)
def test_kernel_does_not_depend_on_order(case):
    with tracing():
        together = case.launch()
    with tracing(TraceOptions(order="shuffled", seed=1)):
        apart = case.launch()
    assert_same(together, apart, case)


def test_the_corpus_is_as_large_as_promised():
    assert len(KERNELS.cases) >= 25
    assert len({case.name for case in KERNELS.cases}) == len(KERNELS.cases)


def test_masked_lanes_do_not_matter_to_right_kernels():
    for case in KERNELS.cases:
        outputs = []
        for fill in ("low", "high"):
            with tracing(TraceOptions(masked_fill=fill, record=False)):
                outputs.append(case.launch())
        for low, high in zip(*outputs, strict=True):
            assert torch.equal(low.nan_to_num(), high.nan_to_num()), case.name
