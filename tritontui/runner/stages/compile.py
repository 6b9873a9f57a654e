"""Stage ``compile``: each kernel to the end, as it is measured, else as it was traced."""

from __future__ import annotations

from tritontui.diagnosis.finding import Finding
from tritontui.engine.messages import Compiled
from tritontui.runner.compiler import tuning as tuning_seen
from tritontui.runner.compiler.compile import Built, Launch, Rejection
from tritontui.runner.compiler.listing import keep_built
from tritontui.runner.explaining import verdicts
from tritontui.runner.measuring.large import workload
from tritontui.runner.stages.legality import large_launches
from tritontui.runner.stages.run import Run
from tritontui.runner.triton_compat import Tuning


def compile_kernels(run: Run) -> None:
    """What comes last is told in full: its registers, shared memory, occupancy, widths and listings."""
    work = workload(run.exercise, run.number)
    if work is not None:
        run.send(work)
    launches = large_launches(run) or run.launches
    if not launches or not run.launches:
        return
    others = {launch.kernel: launch for launch in launches[:-1] if launch.kernel is not launches[-1].kernel}
    for launch in others.values():
        if _build(run, launch) is None:
            return
    built = _build(run, launches[-1])
    if built is None:
        return
    keep_built(run.session, run.number, built)
    run.send(Compiled(run.number, built.report()))


def _build(run: Run, launch: Launch) -> Built | None:
    """A tuned kernel is built with the first config that the target can hold."""
    tuning = run.tunings.get(launch.kernel.fn.__name__)
    chosen = launch if tuning is None else _tuned_launch(run, tuning)
    built = run.tools.compiler.build(chosen, run.target)
    if isinstance(built, Rejection):
        run.say("compile", [run.blame.of_rejection(built)])
        run.obstacle = "not-legal"
        return None
    run.say("compile", verdicts.spills(built, launch.kernel, run.submission.text))
    return built


def _tuned_launch(run: Run, tuning: Tuning) -> Launch:
    """Say what each config would be on the target; the launch with the first that has nothing against it."""
    assert run.exercise.measure_case is not None
    case = run.exercise.measure_case.name
    tuned = tuning_seen.untimed(tuning, run.number, run.session.device, case, lambda launch: _objection(run, launch))
    run.send(tuned)
    traced = [one.arguments for one in run.launches if one.kernel is tuning.kernel]
    unkeyed = tuning_seen.unkeyed(tuning, traced[-1]) if traced else None
    run.say("compile", [] if unkeyed is None else [unkeyed])
    configs = list(zip(tuning.configs, tuned.configs, strict=True))
    unable = [config for config, known in configs if known.problem is not None]
    run.say("compile", [tuning_seen.invalid_config(tuning, config) for config in unable[:1]])
    able = [config for config, known in configs if not known.pruned and known.problem is None]
    return tuning_seen.launch_with(tuning, (able or tuning.kept)[0])


def _objection(run: Run, launch: Launch) -> Finding | None:
    run.check_cancelled()
    built = run.tools.compiler.build(launch, run.target)
    return run.blame.of_rejection(built) if isinstance(built, Rejection) else None
