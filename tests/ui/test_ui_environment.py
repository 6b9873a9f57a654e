"""What is settled before Textual is imported."""

from __future__ import annotations

import pytest

from tritontui.ui.start.environment import Colours, prepare


def test_textual_is_told_to_be_calm() -> None:
    environ: dict[str, str] = {}
    prepare(environ)
    assert environ["TEXTUAL_ANIMATIONS"] == "none"
    assert environ["TEXTUAL_DISABLE_KITTY_KEY"] == "1"
    assert "ESCDELAY" not in environ


def test_what_the_user_has_set_stays() -> None:
    environ = {"TEXTUAL_ANIMATIONS": "full", "ESCDELAY": "25", "SSH_CONNECTION": "1"}
    prepare(environ)
    assert environ["TEXTUAL_ANIMATIONS"] == "full"
    assert environ["ESCDELAY"] == "25"


@pytest.mark.parametrize("name", ["SSH_CONNECTION", "SSH_TTY", "SSH_CLIENT"])
def test_over_ssh_an_escape_sequence_gets_its_time(name: str) -> None:
    environ = {name: "10.0.0.1 22"}
    assert prepare(environ).remote
    assert environ["ESCDELAY"] == "400"


@pytest.mark.parametrize(
    ("environ", "colours"),
    [
        ({"TERM": "xterm"}, "16"),
        ({"TERM": "linux"}, "16"),
        ({}, "16"),
        ({"TERM": "xterm-256color"}, "256"),
        ({"TERM": "screen-256color"}, "256"),
        ({"TERM": "xterm-kitty"}, "256"),
        ({"TERM": "xterm", "COLORTERM": "truecolor"}, "true"),
        ({"TERM": "xterm-256color", "NO_COLOR": "1"}, "none"),
        ({"TERM": "xterm-256color", "NO_COLOR": ""}, "256"),
    ],
)
def test_the_depth_of_colour(environ: dict[str, str], colours: Colours) -> None:
    assert prepare(environ).colours == colours


def test_an_empty_no_color_asks_for_nothing() -> None:
    environ = {"NO_COLOR": ""}
    prepare(environ)
    assert "NO_COLOR" not in environ  # Textual looks only whether it is there


def test_no_mouse_under_screen() -> None:
    assert not prepare({"STY": "1.pts"}).mouse
    assert prepare({"TMUX": "/tmp/tmux"}).mouse


def test_the_frame_diff_can_be_turned_off() -> None:
    assert prepare({}).frame_diff
    assert not prepare({"TRITONTUI_FRAME_DIFF": "0"}).frame_diff
