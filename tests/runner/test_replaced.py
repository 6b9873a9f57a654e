"""Names replaced for a while come back as they were, those that weren't there included."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from tritontui.runner.replaced import replaced


class Base:
    def speak(self) -> str:
        return "base"

    @staticmethod
    def name() -> str:
        return "static"


class Derived(Base): ...


def test_values_and_absent_names_come_back_after_an_error() -> None:
    owner = SimpleNamespace(kept=1)
    with pytest.raises(ZeroDivisionError), replaced((owner, "kept", 2), (owner, "new", 3), (owner, "kept", 4)):
        assert vars(owner) == {"kept": 4, "new": 3}
        _ = 1 / 0
    assert vars(owner) == {"kept": 1}


def test_what_is_inherited_is_inherited_again_and_a_static_method_stays_one() -> None:
    with replaced((Derived, "speak", lambda self: "other"), (Base, "name", lambda: "replaced")):
        assert Derived().speak() == "other"
    assert "speak" not in vars(Derived) and Derived().speak() == "base"
    assert Base().name() == "static"


def test_a_name_that_was_deleted_meanwhile_is_no_fault() -> None:
    owner = SimpleNamespace()
    with replaced((owner, "new", 1)):
        del owner.new
    assert not vars(owner)
