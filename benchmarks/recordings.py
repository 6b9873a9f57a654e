"""Records the course's experiments on the GPU at hand: the figures that learners without one are shown.

    python -m benchmarks.recordings [EXPERIMENT…] [--device auto|cuda:N] [--lessons DIR]

Writes ``recorded.json`` into each experiment's folder (default: every experiment of the course), timing the course's
own solutions where a learner's kernel would be timed. An experiment with a point that has no figure is not written,
unless the card is too small for it, and the exit status is 1 then; 2 when there is no GPU.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from pathlib import Path

from tritontui.course.loader import load_course
from tritontui.course.model import Course, Experiment
from tritontui.engine.engine import Engine
from tritontui.engine.experiment import ExperimentRun, own_text
from tritontui.engine.messages import ExperimentPoint

TOO_SMALL = "out-of-memory"


async def record(engine: Engine, course: Course, experiment: Experiment) -> bool:
    """Time one experiment and write its figures; False when there are none to write."""
    exercises = [course.exercise(identifier) for identifier in experiment.uses]
    own = [
        own_text(exercise, exercise.solution.read_text(encoding="utf-8"), exercise.id + ".py") for exercise in exercises
    ]
    run, began = ExperimentRun(experiment), time.perf_counter()
    say(f"{experiment.id}: {sum(1 for _ in experiment.grid)} entries")
    async for reply in engine.experiment(experiment, own):
        run.add(reply)
        if isinstance(reply, ExperimentPoint):
            tell(run, reply)
    figures = run.figures(f"python -m benchmarks.recordings {experiment.id}")
    wrong = [point for point in run.points.values() if point.problem is not None and point.problem.id != TOO_SMALL]
    if figures is None or wrong:
        say(f"{experiment.id}: NOT recorded: {reason(run)}")
        return False
    experiment.recording.write_text(json.dumps(figures.as_json(), indent=1) + "\n", encoding="utf-8")
    say(f"{experiment.id}: {len(run.points)} points in {time.perf_counter() - began:.1f} s -> {experiment.recording}")
    return True


def tell(run: ExperimentRun, point: ExperimentPoint) -> None:
    tried, total = run.progress
    at = ", ".join(f"{axis} = {value}" for axis, value in point.values.items())
    if point.problem is not None:
        said = f"NO FIGURE: {point.problem.id} {point.problem.params}"
    else:
        said = "  ".join(f"{name} {figure:.5g}" for name, figure in point.figures.items())
        said += "".join(f"  ! {remark.id}" for remark in point.remarks)
    say(f"  {tried:3}/{total} {point.entry} {at}: {said}")


def reason(run: ExperimentRun) -> str:
    if run.unmeasured:
        return "there is no GPU here"
    if run.broken is not None:
        return f"{run.broken.message}\n{run.broken.details}"
    findings = [*run.refused.values(), *run.findings, *(p.problem for p in run.points.values() if p.problem)]
    return "; ".join(f"{finding.id} {finding.params}" for finding in findings) or "no figures came"


def say(line: str) -> None:
    print(line, flush=True)


async def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("experiments", nargs="*", metavar="EXPERIMENT")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--lessons", type=Path, help="another folder of lessons")
    options = parser.parse_args()
    course = load_course(options.lessons)
    known = {identifier: step.experiment for identifier, (_, step) in course.experiments.items()}
    unknown = [name for name in options.experiments if name not in known]
    if unknown:
        parser.error(f"no experiment {', '.join(unknown)}; there are {', '.join(known)}")
    engine = Engine(options.device)
    await engine.start()
    try:
        recorded = []
        for name in options.experiments or known:
            experiment = known[name]
            assert experiment is not None
            recorded.append(await record(engine, course, experiment))
        if engine.gpu is None:
            return 2
        return 0 if all(recorded) else 1
    finally:
        await engine.close()


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
