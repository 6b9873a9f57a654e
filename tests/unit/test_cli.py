"""The command line as a shell sees it: languages, statuses, streams, JSON."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tritontui import __version__, cli
from tritontui.arguments import parse
from tritontui.commands.engine import first_interrupt
from tritontui.commands.engine import run as run_to_its_end
from tritontui.course.loader import load_course
from tritontui.course.paths import Paths
from tritontui.course.progress import Progress
from tritontui.course.work import Work
from tritontui.i18n import translator
from tritontui.ui.app import Script

SUBCOMMANDS = (
    *("list", "check", "trace", "measure", "import", "doctor", "verify", "lint-lessons", "keys", "export", "reset"),
)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def run(
    home: Path, *arguments: str, env: Mapping[str, str] | None = None, stdin: str = "", **options: object
) -> subprocess.CompletedProcess[str]:
    environ = {name: value for name, value in os.environ.items() if not name.startswith("LC_") and name != "LANGUAGE"}
    environ |= {"TRITONTUI_HOME": str(home), "LANG": "C.UTF-8", **(env or {})}
    command = [sys.executable, "-m", "tritontui", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environ, input=stdin, timeout=60)


def test_version(home: Path) -> None:
    done = run(home, "--version")
    assert (done.returncode, done.stdout) == (0, f"tritontui {__version__}\n")


@pytest.mark.parametrize("command", ["", *SUBCOMMANDS])
def test_help_speaks_both_languages(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    def spoken(language: str) -> str:
        with pytest.raises(SystemExit) as left:
            cli.main([*command.split(), "--help", "--lang", language])
        assert left.value.code == 0
        return capsys.readouterr().out

    english, italian = spoken("en"), spoken("it")
    assert english.startswith(f"usage: tritontui {command}")
    assert italian.startswith(f"uso: tritontui {command}")
    words = set(english.split()) & {"the", "of", "and", "what", "each", "with", "show", "exit"}
    assert words and not words & set(italian.split())


@pytest.mark.parametrize(
    ("env", "start"),
    [
        ({"LANG": "it_IT.UTF-8"}, "uso:"),
        ({"LANG": "it_IT.UTF-8", "LC_ALL": "en_GB.UTF-8"}, "usage:"),
        ({"LANG": "en_US.UTF-8", "LC_MESSAGES": "it_CH.UTF-8"}, "uso:"),
        ({"LANG": "fi_FI.UTF-8"}, "usage:"),
        ({"LANG": "it_IT.UTF-8", "LANGUAGE": "fi"}, "uso:"),
    ],
)
def test_the_locale_decides(home: Path, env: Mapping[str, str], start: str) -> None:
    assert run(home, "--help", env=env).stdout.startswith(start)


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["check"],
        ["check", "vector_ad"],
        ["check", "vector_add", "/no/such/file.py"],
        ["check", "vector_add"],
        ["--device", "gpu", "list"],
        ["--lang", "fi", "list"],
        ["trace", "/no/such/script.py"],
        ["reset", "vector_add"],
        ["reset", "99"],
        ["--lesson", "five"],
        ["list", "by a glob: \x1b[2J\u202e"],
        [],
    ],
)
def test_misuse_is_said_on_stderr(home: Path, arguments: list[str]) -> None:
    done = run(home, *arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "tritontui" in done.stderr and "Traceback" not in done.stderr
    assert "\x1b" not in done.stderr and "\u202e" not in done.stderr
    assert not home.exists()


@pytest.mark.parametrize("given", ["--device cuda:1 --lang it doctor", "doctor --device cuda:1 --lang it"])
def test_options_count_before_the_command_and_after_it(given: str) -> None:
    options = parse(given.split(), translator("en"))
    assert (options.device, options.lang, options.lessons, options.trust) == ("cuda:1", "it", None, False)


def test_misuse_is_said_in_italian(home: Path) -> None:
    done = run(home, "check", "vector_ad", "--lang", "it")
    assert done.stderr == "tritontui: L'esercizio vector_ad non esiste. Intendevi vector_add?\n"


def test_list(home: Path) -> None:
    lesson = load_course().lesson(5)
    progress = Progress(Paths.find({"TRITONTUI_HOME": str(home)}).progress)
    progress.mark_done(lesson.id, lesson.steps[0].id)
    progress.close()
    listed = json.loads(run(home, "list", "--json").stdout)
    assert listed["schema"] == 1
    [got] = [entry for entry in listed["lessons"] if entry["id"] == lesson.id]
    assert got["title"] == lesson.title["en"]
    assert [step["done"] for step in got["steps"]] == [True] + [False] * (len(lesson.steps) - 1)
    assert [step["exercise"] for step in got["steps"]] == [step.exercise and step.exercise.id for step in lesson.steps]
    assert got["outcomes"][0] == {"id": "5.1", "text": lesson.outcomes[0].text["en"], "reached": False}
    shown = run(home, "list", "--lang", "it").stdout
    assert lesson.title["it"] in shown and lesson.steps[0].title["it"] in shown
    assert "\x1b" not in shown


def test_looking_leaves_nothing_behind(home: Path) -> None:
    assert run(home, "list").returncode == 0
    assert not home.exists()


def test_a_reader_that_goes_away(home: Path) -> None:
    script = f"{sys.executable} -m tritontui list --json | true; echo ${{PIPESTATUS[0]}}"
    environ = {**os.environ, "TRITONTUI_HOME": str(home)}
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, env=environ)
    assert done.stdout.strip() in ("0", "2")
    assert done.stderr == ""


def test_a_disk_that_is_full(home: Path) -> None:
    script = f"{sys.executable} -m tritontui list > /dev/full"
    done = subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, env={**os.environ, "LC_ALL": "C.UTF-8"}
    )
    assert done.returncode == 2
    assert done.stderr.startswith("tritontui: ") and "Traceback" not in done.stderr


def test_no_standard_output_at_all(home: Path) -> None:
    script = f"{sys.executable} -m tritontui list >&-"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_terminal_without_signs(home: Path) -> None:
    progress = Progress(Paths.find({"TRITONTUI_HOME": str(home)}).progress)
    lesson = load_course().lesson(5)
    progress.mark_done(lesson.id, lesson.steps[0].id)
    progress.close()
    done = run(home, "list", env={"PYTHONIOENCODING": "ascii", "LC_ALL": "C"})
    assert (done.returncode, done.stderr) == (0, "")


def test_export_and_reset(home: Path, tmp_path: Path) -> None:
    exercise = load_course().exercise("vector_add")
    paths = Paths.find({"TRITONTUI_HOME": str(home)})
    work = Work(paths.work)
    work.save(exercise.id, "mine = 1\n")
    target = tmp_path / "out"
    assert run(home, "export", str(target)).returncode == 0
    assert (target / "vector_add.py").read_text() == "mine = 1\n"
    assert json.loads((target / "progress.json").read_text())["schema"] == 1
    again = run(home, "export", str(target))
    assert again.returncode == 2 and str(target / "vector_add.py") in again.stderr

    refused = run(home, "reset", "vector_add")
    assert refused.returncode == 2 and "--yes" in refused.stderr
    assert work.read(exercise.id) == "mine = 1\n"
    assert run(home, "reset", "vector_add", "--yes").returncode == 0
    assert work.read(exercise.id) == exercise.starter.read_text()
    assert [version.read() for version in work.versions(exercise.id)] == ["mine = 1\n"]


def test_reset_of_a_lesson_forgets_its_steps(home: Path) -> None:
    paths = Paths.find({"TRITONTUI_HOME": str(home)})
    progress = Progress(paths.progress)
    progress.mark_done("05-vector-addition", "which-elements")
    progress.mark_done("06-other", "step")
    assert run(home, "reset", "5", "--yes").returncode == 0
    assert progress.done("05-vector-addition") == frozenset()
    assert progress.done("06-other") == {"step"}
    progress.close()


def test_damaged_progress_is_no_disaster(home: Path) -> None:
    paths = Paths.find({"TRITONTUI_HOME": str(home)})
    paths.create()
    paths.progress.write_bytes(b"rubbish" * 1000)
    done = run(home, "list", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["lessons"]
    assert "progress.sqlite.aside-1" in done.stderr


@pytest.mark.parametrize(
    ("given", "script", "own"),
    [
        (["trace", "a.py", "x", "--json"], ["x"], {"json": True}),
        (["trace", "--json", "a.py", "--size", "3"], ["--size", "3"], {"json": True}),
        (["trace", "a.py", "--launch", "2", "--size=3"], ["--size=3"], {"json": False, "launch": 2}),
        (["trace", "a.py", "--", "--json", "-x"], ["--json", "-x"], {"json": False}),
        (["trace", "a.py", "--device", "cpu", "--lang", "it", "-v"], ["-v"], {"device": "cpu", "lang": "it"}),
    ],
)
def test_options_of_trace_may_stand_after_the_script(
    given: list[str], script: list[str], own: Mapping[str, object]
) -> None:
    options = parse(given, translator("en"))
    assert options.script == "a.py"
    assert options.arguments == script
    assert {name: getattr(options, name) for name in own} == own


@pytest.mark.parametrize(("well", "status"), [(True, 0), (False, 1), (None, 2)])
def test_trace_opens_the_viewer_in_a_terminal_and_reports_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, well: bool | None, status: int
) -> None:
    script = tmp_path / "script.py"
    script.write_text("")
    opened, reported = [], []
    monkeypatch.setattr("tritontui.ui.app.trace", lambda *given: opened.append(given) or well)
    monkeypatch.setattr("tritontui.commands.trace.trace", lambda *given, **options: reported.append(given) or 0)
    monkeypatch.chdir(tmp_path)
    command = ["trace", "script.py", "--launch", "2", "--lang", "it", "--", "--json", "8"]
    assert cli.main(command) == 0 and not opened, "no terminal"
    monkeypatch.setattr(cli, "_has_terminal", lambda: True)
    assert cli.main(command) == status
    assert opened == [(Script(script, ("--json", "8"), 2), "it", "auto")]
    assert cli.main(["trace", "script.py", "--json"]) == 0 and len(opened) == 1
    assert cli.main(["trace", "missing.py"]) == 2 and len(opened) == 1
    assert len(reported) == 2
    cli.main(["trace", "script:main.run"])
    assert opened[-1][0] == Script(script, entry="script:main.run")


def test_the_first_ctrl_c_is_the_scripts_and_the_second_ends_the_command() -> None:
    pressed = 0

    async def work(takes: bool) -> None:
        heard = asyncio.Event()

        def taken() -> bool:
            nonlocal pressed
            pressed += 1
            heard.set()
            return takes

        with first_interrupt(taken):
            os.kill(os.getpid(), signal.SIGINT)
            await heard.wait()
            os.kill(os.getpid(), signal.SIGINT)
            await asyncio.Event().wait()

    for takes in (True, False):
        with pytest.raises(KeyboardInterrupt):
            run_to_its_end(work(takes))
    assert pressed == 2
