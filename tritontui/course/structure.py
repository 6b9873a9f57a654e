"""Reading ``lesson.toml`` so that whatever is wrong in it is reported on its line."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path
from typing import Any

from tritontui.course.faults import Problem
from tritontui.course.model import LANGUAGES, Text
from tritontui.toml import load_toml

KeyPath = tuple[str | int, ...]

_HEADER = re.compile(r"\s*(\[\[?)\s*([\w.\"'-]+)\s*\]\]?\s*(#.*)?$")
_KEY = re.compile(r"\s*([\w\"'-]+(?:\s*\.\s*[\w\"'-]+)*)\s*=")
_AT_LINE = re.compile(r"\(at line (\d+), column \d+\)|\(at end of document\)")


def read_toml(path: Path, problems: list[Problem]) -> Table | None:
    """The file's root table, or None with the problem noted."""
    try:
        text = path.read_text(encoding="utf-8")
        return Table(load_toml(path), path, problems, _lines(text))
    except OSError:
        problems.append(Problem(path, None, "is missing"))
    except UnicodeDecodeError as error:
        problems.append(Problem(path, None, f"is not UTF-8: {error.reason}"))
    except ValueError as error:
        at = _AT_LINE.search(str(error))
        line = int(at[1]) if at and at[1] else len(text.splitlines()) or 1
        problems.append(Problem(path, line, _AT_LINE.sub("", str(error)).strip()))
    return None


class Table:
    """One table of the file. Its getters note a problem and give an empty value where something is wrong."""

    def __init__(
        self,
        values: dict[str, Any],
        path: Path,
        problems: list[Problem],
        lines: dict[KeyPath, int],
        at: KeyPath = (),
    ) -> None:
        self._values = values
        self._path = path
        self._problems = problems
        self._lines = lines
        self._at = at
        self._known: set[str] = set()

    def line(self, key: str | None = None) -> int | None:
        """Line of ``key``, or of the nearest thing above it that has one."""
        path = self._at if key is None else (*self._at, key)
        while path and path not in self._lines:
            path = path[:-1]
        return self._lines.get(path)

    def fault(self, message: str, key: str | None = None) -> None:
        self._problems.append(Problem(self._path, self.line(key), message))

    def string(self, key: str, default: str | None = None) -> str:
        """The string under ``key``; one that is missing without a ``default`` is a problem."""
        value = self._take(key, str, "a string", default)
        return value if isinstance(value, str) else default or ""

    def flag(self, key: str, default: bool = False) -> bool:
        self._known.add(key)
        value = self._values.get(key, default)
        if not isinstance(value, bool):
            self.fault(f"'{key}' must be true or false", key)
        return value is True

    def has(self, key: str) -> bool:
        """Whether something stands under ``key``."""
        return key in self._values

    def one_of(self, key: str, allowed: Collection[str], default: str | None = None) -> str | None:
        value = self.string(key, default)
        if value in allowed:
            return value
        if value:
            self.fault(f"'{value}' is no {key}: one of {', '.join(allowed)} is wanted", key)
        return None

    def whole_number(self, key: str, default: int | None = None) -> int:
        value = self._take(key, int, "a whole number", default)
        return value if isinstance(value, int) else 0

    def strings(self, key: str, default: list[str] | None = None) -> tuple[str, ...]:
        value = self._take(key, list, "a list of strings", default)
        if not isinstance(value, list):
            return ()
        if not all(isinstance(item, str) for item in value):
            self.fault(f"{key} must be a list of strings", key)
            return ()
        if len(set(value)) < len(value):
            self.fault(f"{key} names something twice", key)
        return tuple(value)

    def mapping(self, key: str, default: dict[str, Any] | None = None) -> dict[str, str]:
        """A table of strings, ``{ a = "…", b = "…" }``."""
        value = self._take(key, dict, "a table of strings", default)
        if isinstance(value, dict) and all(isinstance(item, str) for item in value.values()):
            return value
        if isinstance(value, dict):
            self.fault(f"{key} must be a table of strings", key)
        return {}

    def numbers(self, key: str) -> dict[str, tuple[int, ...]]:
        """A table of lists of whole numbers, none empty: ``{ n = [1000, 1300] }``; ``{}`` when absent."""
        value = self._take(key, dict, "a table of lists of whole numbers", {})
        result = {}
        for name, items in value.items() if isinstance(value, dict) else ():
            if isinstance(items, list) and items and all(type(item) is int for item in items):
                result[name] = tuple(items)
            else:
                self.fault(f"{key}.{name} must be a list of whole numbers", key)
        return result

    def axes(self, key: str) -> dict[str, tuple[int | float | str, ...]]:
        """A table of lists as ``choices`` wants them, or of ``{ powers_of_two = [10, 26] }`` (a third number: the
        step of the exponent)."""
        value = self._take(key, dict, "a table of axes", {})
        axes = {}
        for name, values in value.items() if isinstance(value, dict) else ():
            if isinstance(values, dict):
                values = _powers(values)
            kinds = {type(item) for item in values} if isinstance(values, list) else set()
            if kinds not in ({int}, {float}, {str}) or len(set(values)) < max(len(values), 2):
                self.fault(f"the axis '{name}' must list two or more different numbers, or strings", key)
            elif not name.isidentifier():
                self.fault(f"an axis is called as a variable is: '{name}' can't be", key)
            else:
                axes[name] = tuple(values)
        return axes

    def number(self, key: str, default: float) -> float:
        """A number, whole or not."""
        self._known.add(key)
        value = self._values.get(key, default)
        if type(value) not in (int, float):
            self.fault(f"'{key}' must be a number", key)
            return default
        return float(value)

    def text(self, key: str) -> Text:
        """``key.en`` and ``key.it``; both empty, and reported once, where ``key`` is no table."""
        value = self._take(key, dict, "a table with en and it", None)
        if not isinstance(value, dict):
            return dict.fromkeys(LANGUAGES, "")
        table = Table(value, *self._shared(key))
        result: Text = {language: table.string(language) for language in LANGUAGES}
        table.finish()
        return result

    def choices(self, key: str) -> tuple[int | float | str, ...]:
        """A list of at least two different numbers or strings, all of one type."""
        value = self._take(key, list, "a list of numbers or strings", None)
        if not isinstance(value, list):
            return ()
        if {type(item) for item in value} not in ({int}, {float}, {str}) or len(set(value)) < max(len(value), 2):
            self.fault(f"{key} must list two or more different numbers, or strings", key)
            return ()
        return tuple(value)

    def one_of_choices(self, key: str, choices: tuple[int | float | str, ...]) -> int | float | str:
        """One of ``choices``; the first when the key is absent."""
        self._known.add(key)
        value = self._values.get(key, choices[0] if choices else 0)
        if choices and value not in choices:
            self.fault(f"{value!r} is none of {', '.join(map(repr, choices))}", key)
        return value  # type: ignore[no-any-return]  # one of choices, or reported

    def named_tables(self, key: str) -> list[tuple[str, Table]]:
        """The tables in the table ``key``, by name; none when it is absent."""
        value = self._take(key, dict, "a table of tables", {})
        named = []
        for name, values in value.items() if isinstance(value, dict) else ():
            if isinstance(values, dict):
                path, problems, lines, at = self._shared(key)
                named.append((name, Table(values, path, problems, lines, (*at, name))))
            else:
                self.fault(f"{key}.{name} must be a table", key)
        return named

    def table(self, key: str) -> Table | None:
        """The table ``[key]``; None when it is absent."""
        if key not in self._values:
            return None
        value = self._take(key, dict, "a table", None)
        return Table(value, *self._shared(key)) if isinstance(value, dict) else None

    def tables(self, key: str, needed: bool = True) -> list[Table]:
        """The tables of ``[[key]]``."""
        value = self._take(key, list, f"a list of tables, [[{key}]]", None if needed else [])
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            return []
        return [
            Table(item, self._path, self._problems, self._lines, (*self._at, key, index))
            for index, item in enumerate(value)
        ]

    def finish(self) -> None:
        """Report the keys that nobody asked for: misspelt ones, mostly."""
        for key in self._values:
            if key not in self._known:
                self.fault(f"'{key}' means nothing here", key)

    def _take(self, key: str, kind: type, wanted: str, default: Any) -> Any:
        self._known.add(key)
        value = self._values.get(key, default)
        if value is None:
            self.fault(f"'{key}' is missing")
        elif not isinstance(value, kind) or isinstance(value, bool):
            self.fault(f"'{key}' must be {wanted}", key)
            return None
        return value

    def _shared(self, key: str) -> tuple[Path, list[Problem], dict[KeyPath, int], KeyPath]:
        return self._path, self._problems, self._lines, (*self._at, key)


def _powers(table: dict[str, Any]) -> list[int] | None:
    match table:
        case {"powers_of_two": [int(first), int(last), *step]} if len(table) == 1 and 0 <= first < last <= 62:
            if step == [] or (len(step) == 1 and type(step[0]) is int and step[0] > 0):
                return [1 << exponent for exponent in range(first, last + 1, *step)]
    return None


def _lines(text: str) -> dict[KeyPath, int]:
    """Line of each table header and key. TOML's parser keeps none; one statement a line is all that lessons use."""
    lines: dict[KeyPath, int] = {}
    counts: dict[KeyPath, int] = {}
    at: KeyPath = ()
    for number, line in enumerate(text.splitlines(), 1):
        header = _HEADER.match(line)
        if header is not None:
            at = _header_path(header[2], header[1] == "[[", counts)
            lines.setdefault(at, number)
            lines.setdefault(at[:-1], number)
            continue
        key = _KEY.match(line)
        if key is not None:
            parts = [part.strip().strip("\"'") for part in key[1].split(".")]
            for length in range(1, len(parts) + 1):
                lines.setdefault((*at, *parts[:length]), number)
    return lines


def _header_path(name: str, is_array: bool, counts: dict[KeyPath, int]) -> KeyPath:
    """A header's path with the index of each array on it: ``steps.questions`` is ``steps, 2, questions, 0``."""
    path: KeyPath = ()
    parts = [part.strip().strip("\"'") for part in name.split(".")]
    for position, part in enumerate(parts):
        path = (*path, part)
        if position == len(parts) - 1 and is_array:
            counts[path] = counts.get(path, -1) + 1
        if path in counts:
            path = (*path, counts[path])
    return path
