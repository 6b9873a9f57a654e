"""A sweep: one text at many values of its launch's constants, or at many sizes, each point judged by itself.

In the CPU's child a point is interpreted, compiled for the target and compared with the right answer; in a GPU's child
it is compared at full size and timed. What can't run, or runs wrong, has a reason and no figure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from itertools import product
from typing import Any

import torch

from tritontui.diagnosis.finding import Finding
from tritontui.engine.messages import (
    Broken,
    Done,
    Found,
    Reply,
    StageStarted,
    SweepPoint,
    SweepRequest,
    SweepStarted,
)
from tritontui.runner.cases.aside import prints_aside
from tritontui.runner.compiler.compile import Launch
from tritontui.runner.compiler.target import compiling_for
from tritontui.runner.explaining.blame import Blame
from tritontui.runner.measuring.hardware import sensors
from tritontui.runner.measuring.measure import Bench
from tritontui.runner.measuring.points import Interpreted, Prober, Subject, Timed
from tritontui.runner.session import Session
from tritontui.runner.spec import Case, Exercise
from tritontui.runner.submission import Submission
from tritontui.runner.triton_compat import constexpr_parameters
from tritontui.runner.workbench import entry_of, laid_out, tools_of

OPTIONS = {"num_warps": 4, "num_stages": 3}
"""What a launch on an NVIDIA GPU gets where it asks for nothing (``CUDAOptions``)."""
WARPS = (1, 2, 4, 8, 16)
FACTORS = (-3, -2, -1, 0, 1, 2, 3)
"""Powers of two around the learner's own block, where the exercise declares no sweep."""
SMALLEST_BLOCK = 16
SMALLEST_SIZE = 1 << 10


def sweep(request: SweepRequest, emit: Callable[[Reply], None], session: Session) -> None:
    """Emits SweepStarted, then StageStarted and a SweepPoint for each point, and Done last.

    A Found alone when the text itself is at fault, Broken when the exercise is. Raises ``session.RunCancelled``
    between two points of a cancelled run. A fault that ends the GPU's context is a Found, and the sweep's end here.
    """
    begun = laid_out(request, session)
    if isinstance(begun, Broken):
        emit(begun)
    else:
        on_cpu = session.device == "cpu"
        with compiling_for(request.target or session.target) if on_cpu else nullcontext():
            _sweep(request, emit, session, *begun)
    emit(Done(request.run))


def _sweep(
    request: SweepRequest,
    emit: Callable[[Reply], None],
    session: Session,
    exercise: Exercise,
    submission: Submission,
) -> None:
    emit(StageStarted(request.run, "sweep"))
    blame = Blame(submission, exercise.entry, session.device)
    function = entry_of(submission, exercise, blame)
    if isinstance(function, Finding):
        emit(Found(request.run, "sweep", [function]))
        return
    subject = Subject(exercise, submission, function, blame)
    prober: Prober
    if session.device == "cpu":
        prober = Interpreted(subject, tools_of(session).compiler, request.target or session.target)
        problem = prober.begin()
        if problem is not None:
            emit(Found(request.run, "sweep", [problem]))
            return
    else:
        prober = Timed(subject, _bench(request, emit, session))
    plan = _plan(request, prober, exercise)
    fixed = {name: value for name, value in prober.derived.items() if name in _blocks(prober.launches)}
    own = request.own or _own(request, prober.launches, exercise, plan)
    points = [dict(zip(plan, values, strict=True)) for values in product(*plan.values())] if plan else []
    emit(
        SweepStarted(
            run=request.run,
            device=session.device,
            kind=request.kind,
            axes=plan,
            own=own,
            total=len(points),
            fixed=fixed if request.kind == "launch" else {},
        )
    )
    for index in range(len(points)) if request.points is None else request.points:
        session.check_cancelled(request.run)
        emit(StageStarted(request.run, "sweep"))
        point = SweepPoint(run=request.run, device=session.device, index=index, values=points[index])
        with prints_aside():
            prober.try_point(point, request.kind == "size", own)
        if point.problem is not None and point.problem.id == "gpu-fault":
            emit(Found(request.run, "sweep", [point.problem]))
            return
        emit(point)


# ---------------------------------------------------------------- the plan


def _plan(request: SweepRequest, prober: Prober, exercise: Exercise) -> dict[str, list[int]]:
    """Values by axis: those asked for, else the exercise's, else around the learner's own; none: nothing to vary.

    A block that the host works out from the size is no axis: no other value would fit the size.
    """
    if exercise.measure_case is None or exercise.trace_case is None:
        return {}
    if request.points is not None:
        return request.axes
    declared: Mapping[str, Sequence[int]] = {}
    if exercise.sweep is not None:
        declared = exercise.sweep.sizes if request.kind == "size" else exercise.sweep.launch
    axes = {name: list(values) for name, values in (request.axes or declared).items()}
    if request.kind == "size":
        return axes or _sizes(exercise.measure_case)
    axes = _named_as_in(prober.launches, axes) if axes else _around(prober.launches)
    return {name: values for name, values in axes.items() if name not in prober.derived}


def _sizes(case: Case) -> dict[str, list[int]]:
    sizes = {name: value for name, value in case.values.items() if type(value) is int}
    if not sizes:
        return {}
    name = max(sizes, key=lambda one: sizes[one])
    values = [sizes[name] >> shift for shift in range(sizes[name].bit_length())]
    return {name: sorted(value for value in values if value >= min(SMALLEST_SIZE, sizes[name]))}


def _named_as_in(launches: Sequence[Launch], axes: dict[str, list[int]]) -> dict[str, list[int]]:
    """``axes`` by the learner's own names: a kernel with a single other block constant has it under that name.

    Axes that the learner's launches don't have are left out.
    """
    known = {name for launch in launches for name in launch.kernel.arg_names} | set(OPTIONS)
    spare = [name for name in _blocks(launches) if name not in axes]
    missing = [name for name in axes if name not in known]
    if len(missing) == 1 and len(spare) == 1:
        return {spare[0] if name == missing[0] else name: values for name, values in axes.items()}
    return {name: values for name, values in axes.items() if name in known}


def _around(launches: Sequence[Launch]) -> dict[str, list[int]]:
    blocks = _blocks(launches)
    values: dict[str, list[int]] = {}
    if len(blocks) == 1:
        name, own = next(iter(blocks.items()))
        values[name] = [int(own * 2.0**factor) for factor in FACTORS if own * 2.0**factor >= SMALLEST_BLOCK]
    return {**values, "num_warps": list(WARPS)} if launches else {}


def _blocks(launches: Sequence[Launch]) -> dict[str, int]:
    """Constants of the learner's kernels that are sizes of blocks: powers of two."""
    return {
        name: value
        for launch in launches
        for name, value in launch.arguments.items()
        if name in constexpr_parameters(launch.kernel)
        and type(value) is int
        and value >= SMALLEST_BLOCK
        and value & (value - 1) == 0
    }


def _own(
    request: SweepRequest, launches: Sequence[Launch], exercise: Exercise, axes: Mapping[str, Any]
) -> dict[str, int]:
    """The learner's own values of ``axes``; of a size, the measured case's."""
    known: dict[str, Any] = {}
    if request.kind == "size":
        known.update(exercise.measure_case.values if exercise.measure_case else {})
    elif launches:
        known.update(OPTIONS)
        for launch in launches:
            known.update({**launch.arguments, **launch.options})
    return {name: known[name] for name in axes if type(known.get(name)) is int}


def _bench(request: SweepRequest, emit: Callable[[Reply], None], session: Session) -> Bench:
    assert session.gpu is not None
    return Bench(
        session.gpu,
        torch.device(session.device),
        sensors(session.device),
        waiting=lambda: emit(Found(request.run, "sweep", [Finding(id="gpu-waiting", severity="note")])),
        check_cancelled=lambda: session.check_cancelled(request.run),
    )
