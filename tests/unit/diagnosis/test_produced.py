"""What the other layers make: every id is made somewhere, and with params that the catalogue lists."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import tritontui
from tritontui.diagnosis import entry, identifiers

PACKAGE = Path(tritontui.__file__).parent
TREES = {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(PACKAGE.rglob("*.py"))}


def literals(tree: ast.AST) -> set[str]:
    return {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def made_with_literal_params() -> Iterator[tuple[Path, str, set[str]]]:
    """``Finding(id="…", params={"…": …})`` wherever both are written out."""
    for path, tree in TREES.items():
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call):
                continue
            given = {keyword.arg: keyword.value for keyword in node.keywords}
            name, params = given.get("id"), given.get("params")
            if isinstance(name, ast.Constant) and isinstance(params, ast.Dict):
                keys = {key.value for key in params.keys if isinstance(key, ast.Constant)}
                yield path, str(name.value), keys


def test_every_id_is_made_somewhere() -> None:
    made = set().union(*(literals(tree) for tree in TREES.values()))
    assert not set(identifiers()) - made


def test_params_are_those_of_the_catalogue() -> None:
    for path, identifier, keys in made_with_literal_params():
        if identifier in identifiers():
            assert keys <= set(entry(identifier).params), (path, identifier)
