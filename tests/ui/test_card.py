"""The card to share: the learner's own map and speed, as text and as a picture."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from driving import Driver, opened, solution
from fake_engine import WRONG, FakeEngine
from test_speed import at_speed, edit, measured

from tritontui.ui.views.card import WIDTH, Card, as_svg, as_text


def card_of(home: Path) -> tuple[str, ET.Element]:
    """The text, and the picture as XML."""
    folder = home / "data" / "cards"
    return (folder / "vector_add.txt").read_text("utf-8"), ET.fromstring((folder / "vector_add.svg").read_text("utf-8"))


async def write(driver: Driver, home: Path) -> None:
    await driver.press("ctrl+p")
    await driver.type("card to share")
    await driver.press("enter")
    await driver.app.workers.wait_for_complete()
    await driver.pilot.pause()


def notes(driver: Driver) -> list[str]:
    return [note.message for note in driver.app._notifications]


async def test_a_passing_kernel_s_card_shows_what_it_writes(home: Path) -> None:
    async with opened() as driver:
        await driver.go("write-it")
        await driver.set_text(solution())
        await driver.judged()
        await write(driver, home)
        await driver.until(lambda: notes(driver), 10)
        assert "vector_add.svg" in notes(driver)[-1]
    text, picture = card_of(home)
    rows = text.splitlines()
    assert {len(row) for row in rows} == {WIDTH + 4}
    assert "Right in all 13 cases" in text and "add_kernel: 4 programs" in text
    assert "Not measured: it needs a GPU." in text and "16 registers" in text
    assert text.count("█") == 64 + 1, "256 elements of program 0, four a cell, and what the sign means"
    assert text.count("▒") + text.count("░") == 186 + 2, "the other 744"
    words = [element.text for element in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert any(word and "█" in word for word in words)


async def test_the_speed_stands_on_it_when_it_was_measured(home: Path) -> None:
    async with opened(engine=FakeEngine(), language="it") as driver:
        await at_speed(driver)
        await measured(driver)
        await driver.workspace.action_card()
    text, _ = card_of(home)
    assert "4.304 GB/s  374,2 µs  n = 2²⁷ · NVIDIA H200" in text and "99%" in text and "torch 373,9 µs" in text


async def test_none_for_a_wrong_kernel_and_a_disk_that_fails_is_told(home: Path) -> None:
    async with opened(engine=FakeEngine()) as driver:
        await at_speed(driver)
        (home / "data" / "cards").write_text("in the way")
        await driver.workspace.action_card()
        await driver.pilot.pause()
        assert "cards" in notes(driver)[-1]
        await edit(driver, f"{WRONG}\n")
        await driver.until(lambda: driver.app.controller.view.verdict == "fail")
        await driver.workspace.action_card()
        await driver.pilot.pause()
        assert notes(driver)[-1] == "A card is for a kernel that passes."


@pytest.mark.parametrize("words", ["<a & b>", "x" * 200, "🔬"])
def test_any_words_make_a_card(words: str) -> None:
    made = Card(words, [[(words, "bold $primary")]], [], [[(words, "$nothing")]])
    assert ET.fromstring(as_svg(made)).tag.endswith("svg")
    assert as_text(made).count("\n") == 5
