"""Names read from the source of a Triton, without importing it."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from tritontui.ui.code.completion import Name, Names, read_names

CORE = '''
@_tensor_member_fn
@builtin
def load(pointer: tensor, mask=None, other=(0, 1), *, volatile=False, _semantic=None) -> tensor:
    """
    Return what lies at :code:`pointer`. More about it.

    :param pointer: where
    """
    return 1


@core._add_reduction_docstr("sum",
                            dtype_arg="dtype")
def sum(input, axis=None):
    return 2


def _add_reduction_docstr(name, dtype_arg=None):
    docstr = """
    Returns the {name} of all elements"""


class tensor:
    """Values."""


def arange(start, end, _semantic=None):
    return 3


arange.__doc__ = f"""
    Contiguous values in :code:`[start, end)`. {LIMIT}
"""


def _hidden():
    """No."""
'''


@pytest.fixture
def package(tmp_path: Path) -> Path:
    (tmp_path / "language").mkdir()
    (tmp_path / "language" / "core.py").write_text(CORE)
    (tmp_path / "language" / "math.py").write_text('def exp(x, _semantic=None):\n    """Exponential."""\n')
    exported = (
        '__all__ = [\n    "load",\n    "load_more",\n    "sum",\n    "tensor",\n    "arange",\n    "float32",\n]\n'
    )
    (tmp_path / "language" / "__init__.py").write_text(exported)
    (tmp_path / "__init__.py").write_text(
        '@constexpr_function\ndef cdiv(x: int, y: int):\n    return 1\n\n__all__ = ["cdiv"]\n'
    )
    return tmp_path


def test_parameters_are_those_a_learner_passes(package: Path) -> None:
    names = read_names(package)
    load = names.get("tl.load")
    assert load is not None
    assert load.signature == "(pointer, mask=None, other=(0, 1), *, volatile=False)"
    assert load.summary == "Return what lies at `pointer`."
    assert load.doc.endswith(":param pointer: where")


def test_documentation_added_by_decorators_and_afterwards_is_found(package: Path) -> None:
    names = read_names(package)
    assert names.get("tl.sum").summary == "Returns the sum of all elements"  # type: ignore[union-attr]
    assert names.get("tl.arange").summary == "Contiguous values in `[start, end)`."  # type: ignore[union-attr]


def test_names_without_a_definition_are_names_all_the_same(package: Path) -> None:
    assert read_names(package).get("tl.float32") == Name("tl.float32")


def test_only_public_names_count(package: Path) -> None:
    names = read_names(package)
    assert names.get("tl._hidden") is None
    assert names.get("tl.math.exp") is not None
    assert names.get("triton.cdiv").signature == "(x, y)"  # type: ignore[union-attr]


def test_the_long_spelling_is_the_same_name(package: Path) -> None:
    names = read_names(package)
    assert names.get("triton.language.load") == names.get("tl.load")
    assert names.complete("triton.language.lo") == ["triton.language.load", "triton.language.load_more"]


def test_the_usual_names_come_first() -> None:
    names = Names(Name(f"tl.{last}") for last in ("sigmoid", "sin", "store", "sum"))
    assert names.complete("tl.s") == ["tl.store", "tl.sum", "tl.sigmoid", "tl.sin"]


@pytest.mark.parametrize("typed", ["", "t", "tl", "x.", "np.l"])
def test_nothing_is_offered_for_what_is_not_tritons(package: Path, typed: str) -> None:
    assert read_names(package).complete(typed) == []


def test_a_missing_package_has_no_names(tmp_path: Path) -> None:
    assert len(read_names(tmp_path / "nowhere")) == 0


def test_the_installed_triton_is_read_but_not_imported() -> None:
    code = (
        "import sys; from tritontui.ui.code.completion import read_names; names = read_names();"
        "assert 'triton' not in sys.modules and 'torch' not in sys.modules; print(len(names))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    installed = importlib.util.find_spec("triton") is not None
    assert (int(done.stdout) > 100) == installed
