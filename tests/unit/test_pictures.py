"""The README's pictures: all there, and whole without the network."""

import re
from pathlib import Path

import pytest

from benchmarks.pictures.__main__ import HERE, PICTURES, at_home, without_remarks

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.name)
def test_a_picture_is_shown_and_fetches_nothing(picture) -> None:
    svg = (HERE / f"{picture.name}.svg").read_text(encoding="utf-8")
    assert f"](benchmarks/pictures/{picture.name}.svg)" in README
    assert not re.search(r"url\((?!#)|@font-face|@import|(href|src)=", svg)


def test_every_picture_in_the_readme_is_one_that_is_taken() -> None:
    shown = re.findall(r"!\[[^]]+\]\(benchmarks/pictures/(\w+)\.svg\)", README)
    assert shown == [picture.name for picture in PICTURES]


def test_fonts_from_the_network_are_taken_out() -> None:
    svg = (
        "<style>@font-face { font-family: F; src: url(https://x/F.woff2); }\n.a { font-family: F; fill: red; }</style>"
    )
    assert "https" not in at_home(svg) and "monospace; fill: red" in at_home(svg)


def test_a_kernel_is_shown_without_the_remarks_of_the_course() -> None:
    assert without_remarks("x = 1  # expect: nan-born\ny = 2  # two\n") == "x = 1\ny = 2  # two\n"


def test_the_italian_readme_names_the_same_pictures_commands_and_keys() -> None:
    italian = (ROOT / "README.it.md").read_text(encoding="utf-8")

    def named(text: str) -> list[set[str]]:
        patterns = (
            r"benchmarks/pictures/\w+\.svg",
            r"(?m)^    (?:tritontui [a-z-]+|\S*python3? .*|\.venv.*)",
            r"`(?:\^.|F\d+)`",
        )
        return [set(re.findall(pattern, text)) for pattern in patterns]

    assert all(named(italian)) and named(italian) == named(README)
