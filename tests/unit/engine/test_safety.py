import pytest

from tritontui.diagnosis.finding import Finding
from tritontui.engine.messages import Broken, CaseDone, CaseResult, Found, LaunchSummary, Lost, StageDone, Traced
from tritontui.engine.safety import Safety

LAUNCH = LaunchSummary(
    launch=0,
    kernel="k",
    line=1,
    grid=[1],
    tensors=[],
    scalars={},
    sites=[],
    mode="lockstep",
    kernel_ms=1,
    analysis_ms=1,
)
TRACED = Traced(1, [LAUNCH])
LEGAL = StageDone(1, "legality", 1.0)


def found(stage, identifier, severity="error"):
    return Found(1, stage, [Finding(id=identifier, severity=severity)])


@pytest.mark.parametrize(
    ("replies", "decision"),
    [
        ([TRACED, LEGAL], None),
        ([TRACED, found("trace", "never-written"), LEGAL], "failed-before"),
        ([TRACED, found("cases", "value-mismatch"), LEGAL], None),
        ([TRACED, found("trace", "masked-load-without-other", "warning"), LEGAL], None),
        ([TRACED, found("trace", "outside-view", "warning"), LEGAL], None),
        ([TRACED, found("trace", "out-of-bounds-read"), LEGAL], "not-safe"),
        ([TRACED, found("trace", "out-of-bounds-write"), found("legality", "compile-error"), LEGAL], "not-safe"),
        ([TRACED, found("legality", "not-constexpr"), LEGAL], "not-legal"),
        ([found("trace", "host-exception"), LEGAL], "failed-before"),
        ([Traced(1, []), LEGAL], "failed-before"),
        ([TRACED, Lost(1, "died")], "failed-before"),
        ([Broken(1, "no exercise", "")], "failed-before"),
    ],
)
async def test_only_kernels_in_bounds_and_legal_reach_the_gpu(replies, decision):
    safety = Safety()
    for reply in replies:
        safety.note(reply)
    assert safety.decision.result() == decision


@pytest.mark.parametrize(
    ("reply", "objection"),
    [
        (CaseDone(1, "cpu", CaseResult(name="n", passed=True, milliseconds=1.0), 0, 1), None),
        (CaseDone(1, "cpu", CaseResult(name="n", passed=False, milliseconds=1.0), 0, 1), "failed-before"),
        (found("trace", "out-of-bounds-read"), "not-safe"),
        (found("legality", "not-constexpr"), "not-legal"),
        (found("cases", "uncoalesced"), None),
    ],
)
async def test_only_right_kernels_are_worth_measuring(reply, objection):
    safety = Safety()
    for one in (TRACED, LEGAL, reply):
        safety.note(one)
    assert safety.objection == objection


async def test_nothing_is_decided_before_the_compiler_has_spoken():
    safety = Safety()
    safety.note(TRACED)
    safety.note(StageDone(1, "trace", 1.0))
    assert not safety.decision.done()
    safety.end()
    assert safety.decision.result() == "failed-before"
