import json

import pytest

from tritontui.diagnosis.finding import Finding
from tritontui.engine.messages import (
    Broken,
    CaseDone,
    CaseResult,
    Done,
    Found,
    LaunchSummary,
    Lost,
    Measured,
    Measurement,
    Mismatch,
    Output,
    SiteSummary,
    StageDone,
    StageSkipped,
    StageStarted,
    Traced,
)
from tritontui.engine.report import Report


def launch(lanes_on=1000, op="store"):
    site = SiteSummary(
        site=0, line=13, column=5, op=op, tensor="out_ptr", dtype="fp32", lane_shape=[256], programs=4,
        executions=1, lanes_on=lanes_on, lanes_off=24, lanes_out=0, sectors=32, sectors_ideal=32,
    )  # fmt: skip
    return LaunchSummary(
        launch=0, kernel="add_kernel", line=20, grid=[4], tensors=[], scalars={}, sites=[site],
        mode="lockstep", kernel_ms=3.0, analysis_ms=2.0,
    )  # fmt: skip


def case(index, passed=True, device="cpu", run=1):
    mismatch = None if passed else Mismatch(index=[0], expected="1", got="0", difference="1", wrong=1, total=9)
    result = CaseResult(name=f"case {index}", passed=passed, milliseconds=1.0, first_mismatch=mismatch)
    return CaseDone(run, device, result, index, 2)


def stage(name, *inside, device="cpu"):
    return [StageStarted(1, name, device), *inside, StageDone(1, name, 12.34, device)]


GOOD = [
    *stage("trace", Traced(1, [launch()])),
    *stage("legality"),
    *stage("cases", case(0), case(1)),
    *stage("compile"),
]
NO_GPU = StageSkipped(1, "measure", "no-gpu")


def report_of(*replies):
    report = Report("vector_add")
    for reply in replies:
        report.add(reply)
    return report


def error(identifier="out-of-bounds-read", **rest):
    return Finding(id=identifier, severity="error", line=12, **rest)


def test_a_right_kernel_passes_without_a_gpu():
    report = report_of(*GOOD, NO_GPU, Done(1))
    assert report.verdict == "pass"
    assert report.stages["measure"] == "skipped"
    assert report.skipped == {"measure": "no-gpu"}


def test_there_is_no_verdict_before_the_end():
    assert report_of(*GOOD, NO_GPU).verdict is None


def test_there_is_no_verdict_on_a_cancelled_run():
    assert report_of(*GOOD, Done(1, cancelled=True)).verdict is None


@pytest.mark.parametrize(
    "spoil",
    [
        [Found(1, "trace", [error()])],
        [case(1, passed=False)],
        [Lost(1, "deadline", line=3, learner=True)],
    ],
    ids=["error finding", "wrong case", "loop without end"],
)
def test_a_learners_fault_fails(spoil):
    assert report_of(*GOOD, *spoil, Done(1)).verdict == "fail"


@pytest.mark.parametrize("severity", ["warning", "note"])
def test_what_is_no_error_still_passes(severity):
    finding = Finding(id="uncoalesced", severity=severity)
    assert report_of(*GOOD, Found(1, "trace", [finding]), Done(1)).verdict == "pass"


@pytest.mark.parametrize(
    "spoil, slow",
    [
        ([Found(1, "cases", [error("uncoalesced")])], True),
        ([Found(1, "cases", [error("uncoalesced")]), case(1, passed=False)], False),
        ([Found(1, "cases", [error("uncoalesced"), error("write-conflict")])], False),
        ([], False),
    ],
    ids=["barred", "and wrong", "and in error", "right"],
)
def test_what_is_right_and_fails_is_merely_slow(spoil, slow):
    report = report_of(*GOOD, *spoil, Done(1))
    assert (report.merely_slow, report.verdict) == (slow, "fail" if spoil else "pass")


def test_a_kernel_that_stores_nothing_does_not_pass():
    for idle in (launch(lanes_on=0), launch(op="load")):
        replies = [*stage("trace", Traced(1, [idle])), *stage("legality"), *stage("cases", case(0))]
        assert report_of(*replies, Done(1)).verdict == "fail"


def test_a_stage_that_never_ended_is_no_pass():
    replies = [reply for reply in GOOD if not (isinstance(reply, StageDone) and reply.stage == "legality")]
    report = report_of(*replies, Done(1))
    assert report.verdict == "error"
    assert report.stages["legality"] == "stopped"


@pytest.mark.parametrize("reply", [Broken(1, "no EXERCISE", "trace"), Lost(1, "died", exit_code=-9)])
def test_the_machines_fault_is_an_error(reply):
    report = report_of(*GOOD, reply, Done(1))
    assert report.verdict == "error"
    assert report.as_json("en")["error"]["message"]


def test_replies_of_another_run_are_ignored():
    report = report_of(*GOOD, case(0, passed=False, run=2), Done(1))
    assert report.verdict == "pass"


def test_a_case_must_pass_on_cpu_and_gpu():
    wrong_on_cpu = report_of(*GOOD, case(0, passed=False), case(0, device="cuda:0"), Done(1))
    wrong_on_gpu = report_of(*GOOD, case(0, passed=False, device="cuda:0"), Done(1))
    for report in (wrong_on_cpu, wrong_on_gpu):
        assert [result.passed for result in report.cases] == [False, True]
        assert report.verdict == "fail"


def test_a_stage_in_both_children_is_done_when_both_are():
    report = report_of(*GOOD, StageStarted(1, "cases", "cuda:0"))
    assert report.stages["cases"] == "running"
    report.add(StageDone(1, "cases", 50.0, "cuda:0"))
    assert report.stages["cases"] == "done"
    assert report.timings["cases cuda:0"] == 50.0


def test_one_fact_seen_twice_is_said_once():
    report = report_of(*GOOD, Found(1, "trace", [error()]), Found(1, "cases", [error()]), Done(1))
    assert len(report.findings) == 1


def test_a_wrong_value_is_told_where_the_cpu_has_placed_it():
    placed = Finding(id="value-mismatch", severity="error", line=13, params={"case": "n = 997", "got": "1.0"})
    bare = Finding(id="value-mismatch", severity="error", params={"case": "n = 997", "got": "1.00001"})
    elsewhere = Finding(id="value-mismatch", severity="error", params={"case": "n = 1", "got": "1.0"})
    report = report_of(Found(1, "cases", [bare]), Found(1, "cases", [placed]), Found(1, "cases", [elsewhere]))
    assert [(finding.line, finding.params["case"]) for finding in report.findings] == [(None, "n = 1"), (13, "n = 997")]


def test_output_is_joined_and_what_was_dropped_is_counted():
    report = report_of(Output(1, "a\n"), Output(1, "b\n"), Output(1, "", dropped=7))
    assert (report.output, report.output_dropped) == ("a\nb\n", 7)


def test_only_some_stages_give_no_pass():
    report = Report("vector_add", stages=("trace", "legality"))
    for reply in [*GOOD[:5], Done(1)]:
        report.add(reply)
    assert report.verdict is None


def test_the_json_is_the_documented_one_in_both_languages():
    measurement = Measurement(
        case="large", device="H200", median_us=10.0, low_us=9.0, high_us=11.0, ideal_bytes=12, gbps=4000.0,
        ceiling_gbps=4143.0, peak_gbps=4814.0, torch_us=10.5, torch_gbps=3900.0,
    )  # fmt: skip
    finding = error(
        tensor="x_ptr", program=3, lanes=[(232, 255)],
        params={
            "index": 1000, "last_index": 1023, "size": 1000, "count": 24, "programs": 1, "masked": False, "access": "x",
        },
    )  # fmt: skip
    report = report_of(*GOOD, case(1, passed=False), Found(1, "trace", [finding]), Measured(1, measurement), Done(1))
    for language in ("en", "it"):
        data = json.loads(json.dumps(report.as_json(language)))
        assert {"schema", "exercise", "device", "target", "verdict", "cases", "findings", "measurement", "compiler",
                "timings_ms"} <= data.keys()  # fmt: skip
        assert data["schema"] == 1
        assert data["verdict"] == "fail"
        assert data["timings_ms"]["trace"] == 12.3
        assert data["cases"][1]["first_mismatch"]["got"] == "0"
        [shown] = data["findings"]
        assert {"id", "severity", "line", "column", "tensor", "program", "lanes", "message"} <= shown.keys()
        assert shown["lanes"] == [[232, 255]]
        assert "1000" in shown["message"]


def test_what_it_shows_among_some_options():
    slip = Finding(id="wrong-operand", severity="error", line=13, params={})
    values = Finding(id="value-mismatch", severity="error", line=14, params={})
    report = report_of(
        *stage("trace"), *stage("cases", case(0, passed=False), Found(1, "cases", [slip, values])), Done(1)
    )
    assert report.diagnosis == "wrong-operand"
    assert report.shows(["pass", "wrong-operand", "value-mismatch"]) == "wrong-operand"
    assert report.shows(["pass", "value-mismatch"]) == "value-mismatch"
    assert report.shows(["pass", "never-written"]) == "wrong-operand"


def test_a_case_is_called_what_the_language_calls_it():
    report = Report("exercise")
    report.add(Traced(1, [], "5 × 50, transposed", names={"it": "5 × 50, trasposta"}))
    report.add(
        CaseDone(
            1, "cpu", CaseResult(name="from sliced", passed=True, milliseconds=1.0, names={"it": "da ritagliata"}), 0, 2
        )
    )
    assert [report.case_in("it", name) for name in ("5 × 50, transposed", "from sliced", "n = 3")] == [
        "5 × 50, trasposta",
        "da ritagliata",
        "n = 3",
    ]
    assert report.case_in("en", "from sliced") == "from sliced"
