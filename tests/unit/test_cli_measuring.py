"""`tritontui measure` on a GPU that a fake child poses as, `tritontui import` of what it wrote, and what goes wrong."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tritontui import cli
from tritontui.course.loader import load_course
from tritontui.course.paths import Paths
from tritontui.course.progress import Progress
from tritontui.course.work import Work
from tritontui.engine import workers as workers_module
from tritontui.engine.engine import Engine
from tritontui.engine.gpus import Gpu

TESTS = Path(__file__).parents[1]
COURSE = TESTS / "small_course"
FAKE_RUNNER = (sys.executable, str(TESTS / "faults" / "fake_runner.py"))


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRITONTUI_HOME", str(tmp_path))
    monkeypatch.setenv("LANG", "C.UTF-8")
    return tmp_path


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers_module, "find_gpu", lambda device: Gpu("cuda:0", "H200", "sm_90"))
    monkeypatch.setattr(Engine.__init__, "__kwdefaults__", {
        **(Engine.__init__.__kwdefaults__ or {}), "command": FAKE_RUNNER,
    })  # fmt: skip


def tritontui(*arguments: str) -> int:
    return cli.main(["--lessons", str(COURSE), "--trust", "--lang", "en", *arguments])


def paths() -> Paths:
    return Paths.find().of_course(COURSE)


def progress() -> Progress:
    return Progress(paths().progress)


def test_measured_here_and_taken_in_there(
    gpu: None, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert tritontui("measure", "--json") == 0
    said = capsys.readouterr()
    assert "double_speed 6/6" in said.err and "hasn't passed yet" in said.err
    [figures] = json.loads(said.out)["figures"]
    assert figures["machine"]["gpu"] == "H200" and figures["command"] == "tritontui measure"
    file = tmp_path / "figures.json"
    file.write_text(said.out)

    monkeypatch.setenv("TRITONTUI_HOME", str(tmp_path / "another machine"))
    paths().create()
    kept = progress()
    lesson = load_course(COURSE).lesson(1).id
    kept.commit_prediction(lesson, "time", "longer", "1.1", {"n": 1024})
    kept.commit_prediction(lesson, "time", "quicker", "yours", {})
    kept.close()
    assert tritontui("import", str(file)) == 0
    assert "double_speed, measured on H200" in capsys.readouterr().out
    kept = progress()
    longer, quicker = kept.predictions(lesson, "time")
    assert longer.source == "imported" and longer.figure == "1.15" and longer.correct
    assert quicker.figure == "eager" and quicker.correct is False
    record = kept.experiment("double_speed")
    assert record is not None and (record.gpu, record.source) == ("H200", "imported")
    kept.close()


def test_a_table_for_a_human(gpu: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert tritontui("measure", "double_speed") == 0
    said = capsys.readouterr().out
    assert "double_speed · H200" in said and "your double" in said and "16384" in said


def test_a_text_that_is_wrong_is_not_timed(gpu: None, capsys: pytest.CaptureFixture[str]) -> None:
    paths().create()
    kept = progress()
    kept.record_attempt("double_it", "pass", [], "cpu")
    kept.close()
    finding = "Finding(id='program-id-unused', severity='error')"
    source = f"from tritontui.diagnosis.finding import Finding\nproblem = {finding}\n"
    Work(paths().work).save("double_it", source)
    assert tritontui("measure", "--json") == 1
    said = capsys.readouterr()
    assert "isn't right any more" in said.err
    assert json.loads(said.out)["figures"] == []


def test_without_a_gpu(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(workers_module, "find_gpu", lambda device: None)
    assert tritontui("measure") == 2
    assert "There is no GPU here" in capsys.readouterr().err


def test_an_experiment_that_does_not_exist(capsys: pytest.CaptureFixture[str]) -> None:
    assert tritontui("measure", "half_speed") == 2
    assert "double_speed" in capsys.readouterr().err


RECORDED = json.loads((COURSE / "01-small" / "exercises" / "double_speed" / "recorded.json").read_text())


@pytest.mark.parametrize(
    ("text", "status", "words"),
    [
        ("no JSON", 2, "is not what tritontui measure --json writes: line 1 is no JSON."),
        ("[]", 2, "it is no JSON object with"),
        (json.dumps({"schema": 1}), 2, '"figures" is missing in it.'),
        (json.dumps(RECORDED), 2, '"figures" is missing in it.'),
        (json.dumps({"schema": 9, "figures": []}), 2, "schema 9"),
        (json.dumps({"schema": 1, "figures": [{}]}), 2, "is missing"),
        (json.dumps({"schema": 1, "figures": [{**RECORDED, "experiment": "other"}]}), 1, "no experiment of this"),
        (json.dumps({"schema": 1, "figures": [{**RECORDED, "entries": {}}]}), 1, "at other sizes"),
    ],
)
def test_what_is_no_figures_is_refused_and_changes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, status: int, words: str
) -> None:
    file = tmp_path / "figures.json"
    file.write_text(text)
    assert tritontui("import", str(file)) == status
    assert words in capsys.readouterr().err
    kept = progress()
    assert kept.experimented() == frozenset()
    kept.close()


def test_a_file_that_cannot_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert tritontui("import", str(tmp_path / "nowhere.json")) == 2
    assert "can't be read" in capsys.readouterr().err
