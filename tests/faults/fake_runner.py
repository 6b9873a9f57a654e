"""A real runner child with a judge that merely runs the text as Python: faults are injected by what the text does."""

from __future__ import annotations

import time
from pathlib import Path

from tritontui.diagnosis.finding import Finding
from tritontui.engine.messages import (
    CaseDone,
    CaseResult,
    Check,
    Done,
    ExperimentPoint,
    ExperimentRequest,
    ExperimentStarted,
    Found,
    GpuInfo,
    Inspection,
    InspectRequest,
    Judge,
    LaunchSummary,
    Listing,
    ListingRequest,
    OwnRefused,
    ScriptDone,
    SiteSummary,
    StageDone,
    StageStarted,
    Steps,
    StepsRequest,
    SweepPoint,
    SweepRequest,
    SweepStarted,
    Tile,
    TileRequest,
    Traced,
    TraceScript,
)
from tritontui.runner import __main__ as runner
from tritontui.runner.serve import Emit, Handlers
from tritontui.runner.session import Session

GPU = GpuInfo(
    index=0, name="H200", capability="sm_90", memory_bytes=1, l2_bytes=1, sm_count=132, peak_gbps=4814.0
)  # fmt: skip


def judge(request: Judge, emit: Emit, session: Session) -> None:
    """Runs the text while tracing, and again on a GPU's cases (everywhere if it says RUN TWICE)."""
    session.add_learner_file(request.filename)
    for stage in request.stages:
        session.check_cancelled(request.run)
        emit(StageStarted(request.run, stage))
        if stage == "trace":
            run_text(request, emit, session)
            emit(Traced(request.run, [launch()]))
            session.cache["traced"] = request.run
        if stage == "legality" and "SLOW COMPILER" in request.source:
            time.sleep(0.8)  # past the soft deadline, before the hard one, in code that isn't the learner's
        if stage == "legality" and "ILLEGAL" in request.source:
            emit(Found(request.run, stage, [Finding(id="compile-error", severity="error", line=1)]))
        if stage == "cases":
            if session.device != "cpu" or "RUN TWICE" in request.source:
                run_text(request, emit, session)
            result = CaseResult(name="n = 1000", passed=True, milliseconds=1.0)
            emit(CaseDone(request.run, session.device, result, 0, 1))
        if stage == "measure" and "GPU TAKEN" in request.source:
            emit(Found(request.run, stage, [Finding(id="gpu-waiting", severity="note")]))
            time.sleep(2)  # longer than measuring itself may take
        emit(StageDone(request.run, stage, 1.0))
    emit(Done(request.run))


def sweep(request: SweepRequest, emit: Emit, session: Session) -> None:
    """Four points; the text is run at each, with ``point`` set, and may set ``problem``."""
    session.add_learner_file(request.filename)
    axes = {"BLOCK": [32, 64], "num_warps": [1, 4]}
    emit(StageStarted(request.run, "sweep"))
    emit(SweepStarted(run=request.run, device=session.device, kind=request.kind, axes=axes, own={}, total=4))
    for index in request.points if request.points is not None else range(4):
        session.check_cancelled(request.run)
        emit(StageStarted(request.run, "sweep"))
        names = {"device": session.device, "emit": emit, "RUN": request.run, "point": index, "problem": None}
        exec(compile(request.source, request.filename, "exec"), names)
        values = {"BLOCK": axes["BLOCK"][index // 2], "num_warps": axes["num_warps"][index % 2]}
        point = SweepPoint(
            run=request.run, device=session.device, index=index, values=values, problem=names["problem"]
        )  # fmt: skip
        if session.device == "cpu":
            point.registers = 16
        else:
            point.median_us, point.low_us, point.high_us = 10.0 + index, 9.0 + index, 11.0 + index
        emit(point)
    emit(Done(request.run))


def experiment(request: ExperimentRequest, emit: Emit, session: Session) -> None:
    """Each own text is run, with ``point`` set on the GPU; in the CPU's child it may set ``problem``."""
    emit(StageStarted(request.run, "sweep"))
    points = [(entry, index) for entry, axes in request.grid.items() for index, _ in enumerate(*axes.values())]
    if session.device != "cpu":
        emit(ExperimentStarted(run=request.run, gpu="H200", card={}, versions={}, total=len(points)))
    for number, (entry, index) in enumerate(points if session.device != "cpu" else [("", 0)]):
        session.check_cancelled(request.run)
        emit(StageStarted(request.run, "sweep"))
        names = {"device": session.device, "emit": emit, "RUN": request.run, "point": number, "problem": None}
        for own in request.own:
            session.add_learner_file(own.filename)
            if "triton.jit" not in own.source:  # a real solution needs a real file
                exec(compile(own.source, own.filename, "exec"), names)
            if names["problem"] is not None:
                emit(OwnRefused(run=request.run, exercise=own.exercise, problem=names["problem"]))
        if session.device != "cpu":
            n = next(iter(request.grid[entry].values()))[index]
            made = {"us": 10.0 + number, "gbps": 8.0 * n / (10.0 + number) / 1000}
            emit(ExperimentPoint(run=request.run, entry=entry, index=index, values={"n": n}, figures=made))
    emit(Done(request.run))


def run_text(request: Judge, emit: Emit, session: Session) -> None:
    code = compile(request.source, request.filename, "exec")
    exec(code, {"device": session.device, "emit": emit, "RUN": request.run})


def launch() -> LaunchSummary:
    site = SiteSummary(
        site=0, line=1, column=1, op="store", tensor="out_ptr", dtype="fp32", lane_shape=[4],
        programs=1, executions=1, lanes_on=4, lanes_off=0, lanes_out=0, sectors=1, sectors_ideal=1,
    )  # fmt: skip
    return LaunchSummary(
        launch=0, kernel="k", line=1, grid=[1], tensors=[], scalars={}, sites=[site],
        mode="lockstep", kernel_ms=1.0, analysis_ms=1.0,
    )  # fmt: skip


def trace_script(request: TraceScript, emit: Emit, session: Session) -> None:
    session.add_learner_file(request.path)
    with Path(request.path).open() as file, session.interrupts.reaching(request.run):
        exec(compile(file.read(), request.path, "exec"), {})
    emit(ScriptDone(run=request.run, exit_code=0))


def tile(request: TileRequest, session: Session) -> Tile:
    if session.cache.get("traced") != request.run:
        raise LookupError(f"run {request.run} is gone")
    return Tile(
        run=request.run, request=request.request, first=request.first, zoom=request.zoom, cells=[],
        elements=4, lowest=0, highest=3,
    )  # fmt: skip


def inspect(request: InspectRequest, session: Session) -> Inspection:
    raise LookupError("no lane")


def listing(request: ListingRequest, session: Session) -> Listing:
    raise LookupError("nothing compiled")


def steps(request: StepsRequest, session: Session) -> Steps:
    raise LookupError("no steps")


def probe(device: str) -> list[Check]:
    return [Check(id="python", ok=True, detail=device)]


def handlers() -> Handlers:
    return Handlers(judge, trace_script, tile, inspect, probe, listing, steps, sweep, experiment)


if __name__ == "__main__":
    runner._gpu = lambda device: GPU
    runner.main(handlers=handlers)
