"""Finding the strings to translate in the source: what is called ``tr``, ``tr.plural`` or ``N_``."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple


class Extracted(NamedTuple):
    """One string to translate, or the two forms of one that counts."""

    forms: tuple[str, ...]
    path: Path
    line: int


def extract(folder: Path) -> Iterator[Extracted]:
    """Every translatable string of the Python files under ``folder``, file by file in order of name."""
    for path in sorted(folder.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and (forms := _forms(node)):
                yield Extracted(forms, path, node.lineno)


def _forms(call: ast.Call) -> tuple[str, ...]:
    """The literal strings of a call of ``tr``, ``N_`` (or ``anything.tr``) or ``tr.plural``; else empty."""
    count = _forms_taken(call.func)
    literals = [argument.value for argument in call.args[:count] if isinstance(argument, ast.Constant)]
    texts = tuple(text for text in literals if isinstance(text, str))
    return texts if count and len(texts) == count else ()


def _forms_taken(function: ast.expr) -> int:
    if isinstance(function, ast.Attribute) and function.attr == "plural":
        return 2 if _name(function.value) == "tr" else 0
    return 1 if _name(function) in ("tr", "N_") else 0


def _name(expression: ast.expr) -> str | None:
    """The last name of ``tr``, ``self.tr``, ``self.app.tr``."""
    if isinstance(expression, ast.Name):
        return expression.id
    return expression.attr if isinstance(expression, ast.Attribute) else None
