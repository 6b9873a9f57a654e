"""Right kernels get no error and no warning: neither the well-known ones, nor those that show one feature each."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest
from corpus import KERNELS
from test_features import CASES

from tritontui.runner.tracing.trace import CallOptions, trace_call

MEANT = {
    "three_dimensions": "wrong-padding-value",  # sums of padded rows are stored
    "atomics_of_all_kinds": "nondeterministic",  # so are old values, which depend on who comes first
    "atomic_cas": "nondeterministic",
    "atomic_bits_and_scalars": "nondeterministic",
}
"""What some features do on purpose."""


def findings_of(case):
    path = inspect.getfile(case.launch)
    run = trace_call(
        case.launch,
        (),
        file=path,
        source=Path(path).read_text(encoding="utf-8"),
        options=CallOptions(budget_seconds=60.0),
    )
    assert run.failure is None, run.failure
    return [(one.id, one.line, one.tensor, one.severity) for one in run.findings if one.severity != "note"]


@pytest.mark.parametrize("case", KERNELS.cases, ids=lambda case: case.name)
def test_a_well_known_kernel_gets_no_finding(case):
    assert findings_of(case) == []


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_feature_gets_no_finding(case):
    assert [one for one in findings_of(case) if one[0] != MEANT.get(case.name)] == []
