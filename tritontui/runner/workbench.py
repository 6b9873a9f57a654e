"""What a run begins with: the exercise, the learner's text as a module, and the function to call."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tritontui.diagnosis import check_syntax
from tritontui.diagnosis.finding import Finding
from tritontui.engine.messages import Broken, Judge, SweepRequest
from tritontui.runner.compiler.compile import Compiler
from tritontui.runner.exercises import BrokenExerciseError, load_exercise
from tritontui.runner.explaining.blame import Blame
from tritontui.runner.no_gpu.as_on_a_gpu import as_on_a_gpu
from tritontui.runner.session import Session
from tritontui.runner.spec import Exercise
from tritontui.runner.submission import Submission, Submissions, execute, find_entry


@dataclass
class Tools:
    """What is kept between runs."""

    submissions: Submissions = field(default_factory=Submissions)
    compiler: Compiler = field(default_factory=Compiler)


def tools_of(session: Session) -> Tools:
    """This child's tools."""
    if "tools" not in session.cache:
        session.cache["tools"] = Tools()
    tools: Tools = session.cache["tools"]
    return tools


def laid_out(request: Judge | SweepRequest, session: Session) -> tuple[Exercise, Submission] | Broken:
    """The exercise and the learner's text, written but not run; Broken when the exercise itself is at fault."""
    try:
        exercise = load_exercise(Path(request.exercise), session.cache)
    except BrokenExerciseError as error:
        return Broken(request.run, str(error), repr(error.__cause__ or error))
    submission = tools_of(session).submissions.place(request.source, request.filename)
    session.add_learner_file(submission.path)
    return exercise, submission


def entry_of(submission: Submission, exercise: Exercise, blame: Blame) -> Callable[..., Any] | Finding:
    """Import the submission and find the function to call; the finding when either can't be done."""
    problem = check_syntax(submission.text)
    if problem is not None:
        return problem
    try:
        with as_on_a_gpu() if blame.device == "cpu" else nullcontext():
            execute(submission)
    except Exception as error:
        return blame.of_error(error, "import")
    return find_entry(submission, exercise)
