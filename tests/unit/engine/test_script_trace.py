"""What a script did, gathered from replies."""

from __future__ import annotations

from tritontui.diagnosis.finding import Finding
from tritontui.engine.messages import (
    Broken,
    Compiled,
    CompilerReport,
    Counted,
    Done,
    Found,
    LaunchSummary,
    Lost,
    Output,
    Reply,
    ScriptDone,
    Traced,
)
from tritontui.engine.script_trace import ScriptTrace

RUN = 7
WRONG = Finding(id="out-of-bounds-read", severity="error", line=4)
STOPPED = Finding(id="host-exception", severity="error", line=9)


def launch(number: int, kernel: str = "copy") -> LaunchSummary:
    return LaunchSummary(
        launch=number, kernel=kernel, line=9, grid=[4], tensors=[], scalars={}, sites=[], mode="lockstep",
        kernel_ms=1.0, analysis_ms=1.0,
    )  # fmt: skip


def compiled(kernel: str, *launches: int) -> Compiled:
    report = CompilerReport(
        kernel=kernel, target="sm_90", registers=8, spill_bytes=0, shared_bytes=0, num_warps=4, num_stages=3,
        occupancy=1.0, occupancy_limit=None, widths=[], seconds=0.1, listings={"ttir": 3},
    )  # fmt: skip
    return Compiled(RUN, report, list(launches))


def gathered(*replies: Reply) -> ScriptTrace:
    trace = ScriptTrace()
    for reply in replies:
        trace.add(reply)
    return trace


def test_each_launch_has_its_own_report() -> None:
    trace = gathered(
        Traced(RUN, [launch(0)]),
        Output(RUN, "one\n"),
        Traced(RUN, [launch(1, "add")]),
        Found(RUN, "trace", [WRONG], launch=1),
        compiled("copy", 0),
        ScriptDone(run=RUN, exit_code=0),
        Done(RUN),
    )
    first, second = trace.report(0), trace.report(1)
    assert (first.run, first.findings, first.verdict, first.output) == (RUN, [], None, "one\n")
    assert first.compiler is not None and second.compiler is None
    assert [one.launch for one in second.launches] == [1]
    assert (second.findings, second.verdict, second.launch_of(WRONG)) == ([WRONG], "fail", 1)
    assert trace.wrong and not trace.stopped


def test_what_stopped_the_script_is_about_it_as_a_whole() -> None:
    trace = gathered(Traced(RUN, [launch(0)]), ScriptDone(run=RUN, exit_code=1, error=STOPPED), Done(RUN))
    assert (trace.about(None), trace.about(0)) == ([STOPPED], [])
    assert trace.report(None).launches == [] and trace.report(None).verdict == "fail"


def test_a_stopped_run_keeps_what_it_had() -> None:
    trace = gathered(Traced(RUN, [launch(0)]), Done(RUN, cancelled=True))
    assert trace.stopped and trace.launch(0) is not None and not trace.wrong


def test_a_script_that_kills_its_process_is_at_fault_itself() -> None:
    found = Found(RUN, "trace", [STOPPED])
    trace = gathered(found, Lost(RUN, "died", exit_code=-11, learner=True), Done(RUN))
    assert trace.died and trace.wrong and not trace.failure and not trace.stopped
    machine = gathered(Lost(RUN, "died"), Done(RUN))
    assert machine.failure and not machine.died and not machine.stopped


def test_launches_that_are_only_counted_are_known_in_number() -> None:
    trace = gathered(Traced(RUN, [launch(0)]), Counted(RUN, 40))
    assert trace.only_counted == 39
    trace.add(ScriptDone(run=RUN, exit_code=0, launches=50))
    assert trace.only_counted == 49


def test_a_defect_is_no_end_of_the_script() -> None:
    trace = gathered(Broken(RUN, "no child", ""), Done(RUN))
    assert (trace.failure, trace.stopped, trace.report(None).verdict) == ("no child", False, "error")


def test_a_launch_shows_the_binary_that_it_runs() -> None:
    trace = gathered(Traced(RUN, [launch(0), launch(1), launch(2)]), compiled("copy", 0, 2))
    assert trace.compiled(0) is trace.compiled(2) is not None and trace.compiled(1) is None
    assert trace.report(1).compiler is None


def test_what_stops_a_launch_is_said_once() -> None:
    trace = ScriptTrace()
    for reply in (
        Traced(RUN, [launch(0)]),
        Found(RUN, "trace", [STOPPED], 0),
        ScriptDone(run=RUN, exit_code=1, error=STOPPED),
    ):
        trace.add(reply)
    assert trace.about(0) == trace.about(None) == [STOPPED]
    assert trace.apart() == []
    trace.add(ScriptDone(run=RUN, exit_code=1, error=WRONG))
    assert trace.apart() == [WRONG]
