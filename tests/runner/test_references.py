"""The reference kernels of the benchmarks are right and legal; how fast they are, a GPU has to say."""

from __future__ import annotations

import pytest

from benchmarks import references
from tritontui.engine.messages import Compiled, Judge
from tritontui.engine.report import Report
from tritontui.runner.judge import judge
from tritontui.runner.session import Session

STAGES = ("trace", "legality", "cases", "compile")


@pytest.mark.parametrize("name", references.NAMES)
def test_it_passes(name):
    """With tensor descriptors in the product, which its contract has to see through."""
    report, compiled = Report(name, stages=STAGES), []
    folder = str(references.folder(name))
    request = Judge(run=1, exercise=folder, source=references.source(name), filename="solution.py", stages=list(STAGES))

    def take(reply):
        report.add(reply)
        compiled.extend([reply.report] if isinstance(reply, Compiled) else [])

    judge(request, take, Session(device="cpu", target="sm_90"))
    assert report.verdict == "pass", report.findings
    assert {finding.severity for finding in report.findings} <= {"note"}
    assert [one.spill_bytes for one in compiled] == [0]
    assert report.traced_bytes >= report.traced_ideal_bytes > 0
