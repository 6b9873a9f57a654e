from pathlib import Path

import pytest

from tritontui.course import loader


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A learner's own folders, empty."""
    monkeypatch.setenv("TRITONTUI_HOME", str(tmp_path))
    for name in ("VISUAL", "EDITOR", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def small_course(monkeypatch: pytest.MonkeyPatch) -> Path:
    """The application opens the course of ``tests/small_course``."""
    folder = Path(__file__).parents[1] / "small_course"
    monkeypatch.setattr(loader, "lessons_folder", lambda: folder)
    return folder
