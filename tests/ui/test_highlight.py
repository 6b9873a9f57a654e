"""Colours of Triton code, line by line."""

from __future__ import annotations

import random

import pytest
from rich.color import Color

from tritontui.ui.code.highlight import _COLOURS, Highlighter, Kind, code_text, styles
from tritontui.ui.theme import DARK, LIGHT


def kinds(source: str, row: int = -1) -> dict[str, Kind]:
    """Piece of the last line (or ``row``) → its kind."""
    lines = source.split("\n")
    spans = Highlighter(lambda: lines).spans(row % len(lines))
    return {lines[row][first:last]: kind for first, last, kind in spans}


def test_tritons_names_stand_out() -> None:
    found = kinds("x = tl.load(x_ptr + offs, mask=mask).to(tl.float32)  # tail")
    assert found["tl"] == "module"
    assert found["load"] == "triton"
    assert found["float32"] == "dtype"
    assert found["# tail"] == "comment"
    assert "to" not in found


def test_a_decorator_is_one_thing() -> None:
    assert kinds("@triton.jit") == {"@triton": "decorator", "jit": "decorator"}


def test_constexpr_parameters_are_known_wherever_they_stand() -> None:
    source = "def k(n, BLOCK: tl.constexpr, EVEN: triton.language.constexpr):\n    offs = BLOCK * n + s.BLOCK"
    lines = source.split("\n")
    assert [first for first, _, kind in Highlighter(lambda: lines).spans(1) if kind == "constexpr"] == [11]
    assert kinds(source, 0)["EVEN"] == "constexpr"
    assert "BLOCK" not in kinds("offs = BLOCK * n")


def test_a_string_over_many_lines_is_a_string_on_each() -> None:
    source = 'x = """one\ntl.load\nthree""" + tl.zeros'
    assert kinds(source, 1) == {"tl.load": "string"}
    assert kinds(source)['three"""'] == "string"
    assert kinds(source)["zeros"] == "triton"


@pytest.mark.parametrize("line", ['x = \'"""\'', "x = \"it's ''' fine\"", '# """', "x = '\\'\"\"\"'"])
def test_quotes_within_quotes_open_nothing(line: str) -> None:
    assert kinds(f"{line}\ntl.load")["load"] == "triton"


def test_after_any_edit_the_spans_are_those_of_a_fresh_look() -> None:
    """Only edited rows are looked at again, and yet nothing below is missed."""
    pieces = ['"""', "'''", "tl.load(x)", "B: tl.constexpr", "B = 1", "# no", "", "x", '"s"', "\\", 'f"""{x}']
    for seed in range(300):
        rng = random.Random(seed)
        lines = [rng.choice(pieces) for _ in range(12)]
        highlighter = Highlighter(lambda lines=lines: lines)  # type: ignore[misc]
        looked_at = rng.randrange(12)
        highlighter.spans(looked_at)
        for _ in range(8):
            before = [highlighter.spans(row) for row in range(len(lines))] if rng.random() < 0.5 else None
            first = rng.randrange(len(lines))
            last = min(len(lines) - 1, first + rng.randrange(3))
            new = [rng.choice(pieces) for _ in range(rng.randrange(1, 4))]
            lines[first : last + 1] = new
            others_changed = highlighter.edited(first, last, first + len(new) - 1)
            fresh = Highlighter(lambda lines=lines: lines)  # type: ignore[misc]
            after = [fresh.spans(row) for row in range(len(lines))]
            assert [highlighter.spans(row) for row in range(len(lines))] == after, seed
            if before is not None and not others_changed:
                assert after[:first] == before[:first]
                assert after[first + len(new) :] == before[last + 1 :]


def test_a_line_of_a_megabyte_is_not_lexed_whole() -> None:
    lines = ["x = [" + "1, " * 300_000 + "]"]
    assert max(last for _, last, _ in Highlighter(lambda: lines).spans(0)) <= 1_000


def test_a_snippet_keeps_its_text() -> None:
    source = 'a = """x\ny"""\n\nb = tl.load(p)\n'
    for palette in ("dark", "light", "ansi", "none"):
        assert code_text(source, palette).plain == source


def test_no_colour_means_no_colour() -> None:
    assert all(style.color is None and style.bgcolor is None for style in styles("none").values())


@pytest.mark.parametrize("kind", _COLOURS)
def test_every_colour_can_be_read_on_its_background(kind: Kind) -> None:
    """Contrast of 4.5 and more, as WCAG 2 asks for text."""
    for palette, theme in (("dark", DARK), ("light", LIGHT)):
        colour = styles(palette)[kind].color  # type: ignore[arg-type, index]
        assert colour is not None
        assert theme.background is not None
        assert contrast(colour, Color.parse(theme.background)) >= 4.5


def contrast(one: Color, other: Color) -> float:
    """The contrast ratio of WCAG 2.1, https://www.w3.org/TR/WCAG21/#dfn-contrast-ratio."""
    bright, dim = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


def luminance(colour: Color) -> float:
    """Relative luminance, https://www.w3.org/TR/WCAG21/#dfn-relative-luminance."""
    parts = [channel / 255 for channel in colour.get_truecolor()]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
