"""The step view's questions: one program's way through a recorded launch."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator

import numpy as np

from tritontui.analysis.blocks import lane_ranges
from tritontui.analysis.stepping.recording import Recording
from tritontui.analysis.stepping.states import lanes_in_view, state_of
from tritontui.analysis.stepping.story import STORED, Story
from tritontui.analysis.trace import Trace
from tritontui.engine.messages import StepLine, Steps, StepsRequest


def steps(trace: Trace, request: StepsRequest) -> Steps:
    """Where the program stands at the step asked for. Raises LookupError when the launch holds no steps."""
    recording = trace.steps
    if recording is None:
        raise LookupError(f"no steps of launch {request.launch}")
    story = _story(trace, recording, request.program)
    total = len(story.moments)
    answer = Steps(
        run=request.run,
        request=request.request,
        program=request.program,
        step=0,
        total=total,
        complete=recording.complete,
        kept=_kept(recording, trace.programs),
    )
    if not total:
        return answer
    answer.step = at = _sought(story, request)
    moment = story.moments[at]
    answer.here = _line(story, at)
    answer.taken = story.taken(at)
    answer.calls = list(_chain(story, moment.call))
    answer.names = [state_of(story, name, at) for name in story.names(at)]
    answer.lanes = lanes_in_view(story, at, _chosen(story, at, request.name), request)
    answer.touched = story.touched(at)
    answer.births = story.births
    answer.first = at // request.count * request.count if request.count else 0
    if request.first <= at < request.first + request.count:
        answer.first = request.first
    window = range(answer.first, min(answer.first + request.count, total))
    answer.lines = [_line(story, step) for step in window]
    return answer


def _story(trace: Trace, recording: Recording, program: int) -> Story:
    """The program's way; the last one asked for is kept."""
    story: Story | None = trace.kept.get("story")
    if story is None or story.program != program:
        story = trace.kept["story"] = Story(trace, recording, program)
    return story


def _kept(recording: Recording, total: int) -> list[tuple[int, int]]:
    kept = np.zeros(total, bool)
    kept[recording.programs] = True
    return lane_ranges(kept)


def _line(story: Story, step: int) -> StepLine:
    moment, call = story.moments[step], story.call(step)
    changed = dict.fromkeys(name for name, _ in moment.values if name)
    return StepLine(
        step,
        moment.line if call.in_file else 0,
        call.text(moment.line),
        call.depth,
        call.function,
        moment.kind,
        list(moment.iteration),
        list(changed),
    )


def _chain(story: Story, call: int | None) -> Iterator[str]:
    if call is not None:
        made = story.calls[call]
        yield from _chain(story, made.caller)
        yield made.function


def _chosen(story: Story, step: int, name: str | None) -> str | None:
    """The name asked for, else what the step changed, else the last that was given a value before."""
    names = story.names(step)
    if name in names:
        return name
    changed = [one for one, _ in story.moments[step].values if one]
    changed += [one for one in names if one.startswith(STORED)]
    if story.moments[step].kind != "enter" and changed:
        return changed[0]
    return max(names, key=lambda one: story.born(one, step), default=None)


# ---------------------------------------------------------------- looking for a step


def _sought(story: Story, request: StepsRequest) -> int:
    """The step to stand at."""
    last = len(story.moments) - 1
    at = min(max(request.step, 0), last)
    if request.seek is None:
        return at
    if request.seek == "born":
        births = sorted({birth.step for birth in story.births})
        place = bisect_right(births, at)
        return births[place % len(births)] if births else at
    wanted = _matcher(story, request, at)
    path = range(at - 1, -1, -1) if request.back else range(at + 1, last + 1)
    return next((step for step in path if wanted(step)), at)


def _matcher(story: Story, request: StepsRequest, at: int) -> Callable[[int], bool]:
    moment, call = story.moments[at], story.call(at)
    if request.seek == "line":
        return lambda step: story.moments[step].line == moment.line and story.call(step).function == call.function
    if request.seek == "over":
        return lambda step: story.call(step).depth <= call.depth
    if request.seek == "out":
        return lambda step: story.call(step).depth < call.depth
    name = _chosen(story, at, request.name)
    return lambda step: (
        story.call(step).function == call.function and any(one == name for one, _ in story.moments[step].values)
    )
