from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from shared_engine import end_shared_engines

from tritontui.course import loader

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """One event loop for all of these tests: the engines that they share belong to it."""
    for item in items:
        if HERE in item.path.parents and pytest_asyncio.is_async_test(item):
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


@pytest_asyncio.fixture(scope="session", loop_scope="session", autouse=True)
async def engines_ended() -> AsyncIterator[None]:
    yield
    await end_shared_engines()


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
