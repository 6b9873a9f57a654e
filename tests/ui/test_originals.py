"""The original text of an error is one key away, and the key stands on the screen."""

from __future__ import annotations

from pathlib import Path

import pytest
from driving import opened, solution

from tritontui.i18n import Language


@pytest.mark.parametrize(("language", "shown"), [("en", "show the original message"), ("it", "messaggio originale")])
async def test_the_original_of_every_error_unfolds(home: Path, language: Language, shown: str) -> None:
    async with opened(language=language, lesson=5) as driver:
        await driver.go("write-it")
        text = solution()
        kernel = text.index("@triton.jit")
        body = text.index("\n", text.index("):", kernel)) + 1
        await driver.set_text(text[:body] + "    wrong = tl.zeros((3,), tl.float32)\n" + text[body:])
        await driver.judged()
        errors = [one for one in driver.app.controller.view.findings if one.original]
        assert errors, driver.app.controller.view.findings
        words = [line for one in errors for line in (one.original or "").splitlines() if line.strip()]
        await driver.workspace.run_action("show_result('verdict')")
        await driver.pilot.pause()
        said = driver.shown("verdict")
        assert f"{shown} o" in said
        assert "o" in driver.line("#keys").split()
        assert not any(line in said for line in words)
        await driver.press("o")
        assert all(line in driver.shown("verdict") for line in words)
        await driver.press("o")
        assert not any(line in driver.shown("verdict") for line in words)
