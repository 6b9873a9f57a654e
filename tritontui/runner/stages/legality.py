"""Stage ``legality``: the front end of the compiler, for every specialisation that is launched."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace

from tritontui.diagnosis.finding import Finding
from tritontui.runner.compiler.compile import Launch
from tritontui.runner.measuring.large import measured_launches
from tritontui.runner.no_gpu.as_on_a_gpu import as_on_a_gpu
from tritontui.runner.stages.run import Run
from tritontui.runner.triton_compat import tunings_noted


def legality(run: Run) -> None:
    """Those of the trace, then those of the measured case."""
    rejections = _rejections(run, run.launches)
    if run.launches and not rejections:
        rejections = _rejections(run, large_launches(run))
    if rejections:
        for finding in rejections:
            if run.deferred is not None and run.deferred.id == finding.id:  # the interpreter always knows the line
                finding.line, finding.column = run.deferred.line, run.deferred.column
        run.deferred = None
        run.say("legality", rejections)
        run.obstacle = "not-legal"
    elif run.deferred is not None:
        run.say_deferred()
        run.obstacle = "failed-before"


def note_launch(run: Run, launch: Launch) -> None:
    """A case may launch what the trace didn't: another dtype, another alignment."""
    run.noted.append(launch)
    rejections = _rejections(run, [launch])
    if rejections:
        run.say("legality", rejections)
        run.obstacle = "not-legal"


def large_launches(run: Run) -> list[Launch]:
    """What the measured case would launch, by the learner's own host code; nothing is launched."""
    if run.large is None:
        with as_on_a_gpu() if run.on_cpu else nullcontext(), tunings_noted() as noted:
            seen = measured_launches(run.exercise, run.loaded) if run.loaded else []
        lines = {launch.kernel: launch.line for launch in run.launches}
        run.large = [replace(launch, line=lines.get(launch.kernel)) for launch in seen]
        run.tunings = {tuning.kernel.fn.__name__: tuning for tuning in noted}
    return run.large


def _rejections(run: Run, launches: Sequence[Launch]) -> list[Finding]:
    rejected = [run.tools.compiler.check(launch) for launch in launches]
    return [run.blame.of_rejection(rejection) for rejection in rejected if rejection is not None]
