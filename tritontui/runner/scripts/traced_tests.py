"""pytest's tests under the tracer: registered by ``tritontui.pytest_plugin`` where it is asked for."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator
from contextlib import ExitStack
from pathlib import Path
from types import ModuleType

import pytest

from tritontui import analysis
from tritontui.diagnosis import explain, rank
from tritontui.diagnosis.finding import Finding
from tritontui.engine.targets import DEFAULT_TARGET
from tritontui.i18n import choose_language, translator
from tritontui.runner.compiler.compile import Compiler, Launch
from tritontui.runner.compiler.target import compiling_for
from tritontui.runner.lockstep import tracing
from tritontui.runner.no_gpu.as_on_a_gpu import FollowedHost, refusing_main_memory
from tritontui.runner.no_gpu.cuda_on_cpu import cuda_on_cpu
from tritontui.runner.scripts.texts import Texts
from tritontui.runner.submission import Submission
from tritontui.runner.tracing.adopt import text_of
from tritontui.runner.tracing.study import Study
from tritontui.runner.tracing.trace import once_each

EXPERIMENT_SECONDS = 2.0
"""A test."""

_STUDY = pytest.StashKey[Study]()
_TOLD = pytest.StashKey[int]()


class TracedTests:
    """Tensors on ``cuda`` live on the CPU for the whole session, imports of test files included."""

    def __init__(self) -> None:
        self.language = choose_language(None, os.environ)
        self.compiler = Compiler()
        self.around = ExitStack()
        self.around.enter_context(compiling_for(DEFAULT_TARGET))
        self.around.enter_context(cuda_on_cpu(FollowedHost()))

    def pytest_unconfigure(self) -> None:
        self.around.close()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """From the set-up of a test's fixtures to their end."""
        file = str(item.path)
        study = item.stash[_STUDY] = Study(file, text_of(file), EXPERIMENT_SECONDS)
        item.stash[_TOLD] = 0
        with tracing(file=file, observer=study), refusing_main_memory(even_alone=False):
            result = yield
        del item.stash[_STUDY]
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        yield from self._judged(item, "call")
        return None

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Generator[None, object, object]:
        yield from self._judged(item, "teardown")
        return None

    def _judged(self, item: pytest.Item, when: str) -> Generator[None, object, None]:
        """Whatever has failed gets the findings beside it; what passed fails by them, if any is an error."""
        try:
            yield
        except BaseException:
            if found := self._new(item):
                item.add_report_section(when, "triton-trace", self._report(found))
            raise
        found = self._new(item)
        if any(finding.severity == "error" for finding in found):
            pytest.fail(self._report(found), pytrace=False)

    def _new(self, item: pytest.Item) -> list[Finding]:
        """Errors and warnings of the launches since this was asked last."""
        study, first = item.stash[_STUDY], item.stash[_TOLD]
        item.stash[_TOLD] = len(study.traces)
        if len(study.traces) == first:
            return []
        own = Submission(study.source, item.path.name, item.path, ModuleType(item.path.stem))
        found = [*study.findings, *analysis.never_written(study.traces), *self._refused(study, Texts(own), first)]
        study.findings.clear()
        for finding in found:
            finding.file = finding.file or study.file
        return [finding for finding in once_each(rank(found)) if finding.severity != "note"]

    def _refused(self, study: Study, texts: Texts, first: int) -> Iterator[Finding]:
        """What the compiler refuses, though it can be run here."""
        for number, record in enumerate(study.launches[first:], first):
            if number in study.dropped:
                continue
            launch = Launch(record.kernel, record.arguments, record.options, record.line)
            if (rejection := self.compiler.check(launch)) is not None:
                yield texts.rejected(rejection, texts.of(record))

    def _report(self, found: list[Finding]) -> str:
        tr = translator(self.language)
        lines = []
        for finding in found:
            explanation = explain(finding, self.language)
            place = tr("{file} line {line}", file=_shown(finding.file), line=finding.line) if finding.line else ""
            lines.append(f"{finding.severity}: {place}: {explanation.title} [{finding.id}]")
            lines += [f"  {text}" for text in (explanation.message, explanation.fix) if text and not finding.caused_by]
        return "\n".join(lines)


def _shown(file: str | None) -> str:
    """Relative to the working directory where it lies in it."""
    path = Path(file or "")
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)
