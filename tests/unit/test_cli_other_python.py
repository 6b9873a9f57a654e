"""`tritontui doctor --python PATH`: another Python is asked, and one in which all is well is remembered."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tritontui import cli
from tritontui.course.paths import Paths
from tritontui.course.progress import MENDED_PYTHON, OTHER_PYTHON, Progress
from tritontui.engine.elsewhere import ElsewhereError, look_at


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRITONTUI_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LANG", "C.UTF-8")
    return tmp_path / "home"


def interpreter(folder: Path, script: str) -> Path:
    """A virtual environment whose Python is that shell script."""
    path = folder / "bin" / "python"
    path.parent.mkdir(parents=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def answering(folder: Path, prefix: Path, *, ok: bool = True) -> Path:
    checks = [{"id": "python", "ok": ok, "detail": "3.9.0", "params": {"found": "3.9.0", "needed": "3.10"}}]
    said = json.dumps({"prefix": str(prefix), "executable": str(folder / "bin" / "python"), "checks": checks})
    return interpreter(folder, f"echo torch says something first\necho '{said}'")


def remembered(setting: str = OTHER_PYTHON) -> str | None:
    paths = Paths.find()
    paths.create()
    progress = Progress(paths.progress)
    try:
        return progress.setting(setting)
    finally:
        progress.close()


def test_a_python_without_torch_is_told_what_it_lacks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bare = interpreter(tmp_path / "bare", f'exec "{sys.executable}" -S -E "$@"')
    assert cli.main(["doctor", "--python", str(bare), "--lang", "en"]) == 2
    said = capsys.readouterr().out
    assert "✓ python 3." in said and "✗ PyTorch is missing" in said and "pip install torch" in said
    assert remembered() is None


def test_one_in_which_all_is_well_is_remembered(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answering(tmp_path / "gpu", tmp_path / "gpu")
    assert cli.main(["doctor", "--python", str(tmp_path / "gpu"), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["ok"] and [check["id"] for check in report["checks"]] == ["python"]
    assert remembered() == str(tmp_path / "gpu" / "bin" / "python")


def test_tritontuis_own_does_not_count(tmp_path: Path) -> None:
    answering(tmp_path / "same", Path(sys.prefix))
    assert cli.main(["doctor", "--python", str(tmp_path / "same")]) == 0
    assert remembered() is None


def test_nor_does_one_that_is_ill(tmp_path: Path) -> None:
    answering(tmp_path / "old", tmp_path / "old", ok=False)
    assert cli.main(["doctor", "--python", str(tmp_path / "old")]) == 2
    assert remembered() is None


@pytest.mark.parametrize("script", ["exit 3", "echo '{}'", "echo oops >&2; exit 1", "kill -9 $$"])
def test_what_is_no_python_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str], script: str) -> None:
    path = interpreter(tmp_path / "odd", script)
    assert cli.main(["doctor", "--python", str(path), "--lang", "en"]) == 2
    assert "That Python can't be asked" in capsys.readouterr().err


def test_a_path_that_leads_nowhere_and_one_that_never_answers(tmp_path: Path) -> None:
    with pytest.raises(ElsewhereError, match="No such file"):
        look_at(str(tmp_path / "nowhere"))
    with pytest.raises(ElsewhereError, match="no answer"):
        look_at(str(interpreter(tmp_path / "slow", "exec sleep 60")), seconds=0.2)


def test_modules_of_pythons_own_are_found_there(tmp_path: Path) -> None:
    triton = tmp_path / "site" / "triton"
    triton.mkdir(parents=True)
    (triton / "__init__.py").write_text("import numbers, trace\nnumbers.Number, trace.Trace\n__version__ = '3.9.0'\n")
    python = interpreter(tmp_path, f'PYTHONPATH="{tmp_path / "site"}" exec "{sys.executable}" -S "$@"')
    [found] = [check for check in look_at(str(python)).checks if check.id == "triton"]
    assert found.ok, found.detail


def test_an_environment_made_to_be_mended_is_ill_until_what_is_wrong_is_taken_away(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With modules that pretend to be PyTorch and Triton: the real ones take seconds to import."""
    for name, version in (("torch", "2.13.0"), ("triton", "3.9.0")):
        package = tmp_path / "site-packages" / name
        package.mkdir(parents=True)
        (package / "__init__.py").write_text(f"__version__ = {version!r}\n")
        (tmp_path / "site-packages" / f"{name}-{version}.dist-info").mkdir()
        (tmp_path / "site-packages" / f"{name}-{version}.dist-info" / "METADATA").write_text(f"Name: {name}\n")
    torch = tmp_path / "site-packages" / "torch" / "__init__.py"
    torch.write_text(torch.read_text() + "class version: cuda = None\nclass cuda: is_available = lambda: False\n")
    monkeypatch.syspath_prepend(str(tmp_path / "site-packages"))
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)
    sick = tmp_path / "sick"
    assert cli.main(["doctor", "--break", str(sick), "--lang", "en"]) == 0
    assert f"tritontui doctor --python {sick}" in capsys.readouterr().out.replace("\n", " ")
    assert cli.main(["doctor", "--break", str(sick), "--lang", "en"]) == 2, "nothing there is overwritten"

    def ills() -> set[str]:
        cli.main(["doctor", "--python", str(sick), "--json"])
        report = json.loads(capsys.readouterr().out)
        return {check["id"] for check in report["checks"] if not check["ok"]} - {"c-compiler", "torch-gpu"}

    assert ills() == {"module-shadowed", "interpret-variable"}
    [packages] = sick.glob("lib/python*/site-packages")
    (packages / "triton.py").unlink()
    assert ills() == {"interpret-variable"}
    assert remembered(MENDED_PYTHON) is None
    (packages / "team_settings.pth").unlink()
    assert ills() == set()
    if cli.main(["doctor", "--python", str(sick)]) == 0:  # a machine without a C compiler is never all well
        assert remembered(MENDED_PYTHON) == str(sick / "bin" / "python") and remembered() is None
