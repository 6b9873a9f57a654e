"""Real wrong kernels, compiled without a GPU by the installed Triton: each gets its id on its line."""

import inspect
import re
import sys
from pathlib import Path

import pytest
import triton

from tests.runner import wrong_kernels
from tritontui.diagnosis import entry, explain, recognise
from tritontui.engine.targets import DEFAULT_TARGET
from tritontui.runner.compiler.compile import Compiler, Launch, Rejection
from tritontui.runner.compiler.target import compiling_for
from tritontui.runner.submission import Submission, failure_of

VERSION = tuple(int(part) for part in triton.__version__.split(".")[:2])
LAUNCHES = {kernel.fn.__name__: (kernel, make, options) for kernel, make, options in wrong_kernels.LAUNCHES}


def submission_of(name: str) -> Submission:
    """The file in which the kernel stands."""
    module = sys.modules[LAUNCHES[name][0].fn.__module__]
    file = Path(module.__file__ or "")
    return Submission(file.read_text(encoding="utf-8"), file.name, file, module)


def expected(name: str) -> tuple[str, int]:
    """The id and the line that the kernel's own mark tells."""
    for number, line in enumerate(submission_of(name).text.splitlines(), 1):
        if (mark := re.search(r"#! ([\w-]+) \((\w+)\)$", line)) and mark[2] == name:
            return mark[1], number
    lines, first = inspect.getsourcelines(LAUNCHES[name][0].fn)
    marks = [(mark[1], first + i) for i, line in enumerate(lines) if (mark := re.search(r"#! ([\w-]+)$", line))]
    assert len(marks) == 1, f"{name} needs one mark"
    return marks[0]


def rejection_of(name: str) -> Rejection | None:
    kernel, make, options = LAUNCHES[name]
    names = [parameter for parameter in kernel.arg_names if parameter not in options]
    launch_options = {key: value for key, value in options.items() if key not in kernel.arg_names}
    constants = {key: value for key, value in options.items() if key in kernel.arg_names}
    launch = Launch(kernel, {**dict(zip(names, make(), strict=False)), **constants}, launch_options)
    compiler = Compiler()
    with compiling_for(DEFAULT_TARGET):
        rejection = compiler.check(launch)
        if rejection is None:
            built = compiler.build(launch, DEFAULT_TARGET)
            rejection = built if isinstance(built, Rejection) else None
    return rejection


@pytest.mark.parametrize("name", LAUNCHES)
def test_recognised(name: str) -> None:
    if wrong_kernels.EXCUSED.get(name, lambda version: False)(VERSION):
        pytest.skip("this version of Triton accepts it, or refuses it without a word")
    rejection = rejection_of(name)
    assert rejection is not None, "the compiler accepts it"
    arguments = {k: v for k, v in rejection.launch.arguments.items() if isinstance(v, (int, float, str, bool))}
    facts = {"kernel": name, "arguments": arguments, **rejection.launch.options}
    failure = failure_of(rejection.error, submission_of(name), "compile", facts)
    failure.log = rejection.log

    finding = recognise(failure)

    identifier, line = expected(name)
    assert finding.id == identifier, finding
    if line not in range(*signature(name)):  # what the launcher refuses has the line of the launch, not of the kernel
        assert finding.line == line, finding
    assert finding.original
    assert set(finding.params) <= set(entry(identifier).params)
    for language in ("en", "it"):
        explanation = explain(finding, language)
        assert explanation.title and explanation.message and explanation.fix


def signature(name: str) -> tuple[int, int]:
    """The lines from the decorator to the ``def``."""
    lines, first = inspect.getsourcelines(LAUNCHES[name][0].fn)
    body = next(i for i, line in enumerate(lines) if line.startswith("def "))
    return first, first + body + 1
