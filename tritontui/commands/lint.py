"""``tritontui lint-lessons``: what a lesson should have and has not, with file and line, all at once."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from tritontui.commands.console import Context
from tritontui.commands.engine import run
from tritontui.commands.recorded import Expected, Item, try_all
from tritontui.commands.status import GOOD, WRONG
from tritontui.commands.trust import ask_to_run
from tritontui.course.faults import Problem
from tritontui.course.lint import lint
from tritontui.course.loader import lessons_folder
from tritontui.diagnosis import identifiers

SCHEMA = 1


def lint_lessons(context: Context, *, run_code: bool, as_json: bool) -> int:
    """Read everything; unless told otherwise, judge every recorded submission of the lessons that can be read."""
    course, problems = lint(context.lessons, identifiers())
    folder = context.lessons or lessons_folder()
    judged: list[Item] | None = None
    if not as_json:
        for problem in problems:
            _print(context, problem, folder)
    if run_code and course.lessons:
        ask_to_run(context)

        def tell(expected: Expected, item: Item) -> None:
            if not item.ok:
                problems.append(_problem(expected, item))
                if not as_json:
                    _print(context, problems[-1], folder)

        judged = [item for _, item in run(try_all(course, context.device, tell))]
    errors = sum(problem.severity == "error" for problem in problems)
    if as_json:
        context.console.json(
            {
                "schema": SCHEMA,
                "lessons": str(folder),
                "errors": errors,
                "warnings": len(problems) - errors,
                "problems": [_as_data(problem) for problem in problems],
                "judged": None if judged is None else [asdict(item) for item in judged],
            }
        )
    else:
        _print_sum(context, errors, len(problems) - errors, judged)
    return WRONG if errors else GOOD


def _problem(expected: Expected, item: Item) -> Problem:
    """A recorded submission of which the judge says something else."""
    line = expected.line or item.got_line
    where = f" on line {item.got_line}" if item.got_line is not None else ""
    wanted = item.expected + (f" on line {item.expected_line}" if item.expected_line is not None else "")
    name = f"'{expected.broken.id}'" if expected.broken is not None else "this"
    return Problem(expected.path, None if expected.broken else line, f"{name} gives {item.got}{where}, not {wanted}")


def _as_data(problem: Problem) -> dict[str, object]:
    return {
        "file": str(problem.path),
        "line": problem.line,
        "severity": problem.severity,
        "message": problem.message,
    }


def _print(context: Context, problem: Problem, folder: Path) -> None:
    path = problem.path.relative_to(folder) if problem.path.is_relative_to(folder) else problem.path
    where = str(path) if problem.line is None else f"{path}:{problem.line}"
    context.console.marked(problem.severity, f"{where}: {problem.message}")


def _print_sum(context: Context, errors: int, warnings: int, judged: list[Item] | None) -> None:
    tr = context.tr
    parts = [tr.plural("{n} error", "{n} errors", errors), tr.plural("{n} warning", "{n} warnings", warnings)]
    if judged is None:
        parts.append(tr("nothing was run"))
    else:
        parts.append(tr.plural("{n} submission judged", "{n} submissions judged", len(judged)))
    context.console.marked("error" if errors else "good", " · ".join(parts))
