"""Runs a script under the tracer, in this process."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from tests.runner.scripts.ran import KERNEL, Ran, Run
from tritontui.engine.messages import Reply, TraceScript
from tritontui.runner.session import Session
from tritontui.runner.tracing.trace import trace_script


@pytest.fixture
def run(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Run:
    def run_script(
        text: str, *arguments: str, name: str = "script.py", head: str = KERNEL, entry: str = "", stdin: str = ""
    ) -> Ran:
        (tmp_path / name).write_text(head + dedent(text), encoding="utf-8")
        replies: list[Reply] = []
        request = TraceScript(
            run=1, path=name, arguments=list(arguments), working_directory=str(tmp_path), entry=entry, stdin=stdin
        )
        trace_script(request, replies.append, Session("cpu", "sm_90"))
        return Ran(replies, *capfd.readouterr())

    return run_script
