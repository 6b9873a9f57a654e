"""``keys.toml``: the learner's own keys. What is wrong in it is said with its line, and changes nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from textwrap import wrap
from types import MappingProxyType
from typing import Any, NamedTuple

from tritontui.i18n import N_, Translator
from tritontui.keys.commands import BY_ID, COMMANDS
from tritontui.keys.names import UnusableKeyError, canonical, is_letter, shown
from tritontui.toml import load_toml

DEFAULTS = {command.id: command.keys for command in COMMANDS}
COMMENT_WIDTH = 94
_TOML_PLACE = re.compile(r"\s*\((?:at line (?P<line>\d+), column \d+|at end of document)\)")


class KeyFault(NamedTuple):
    """What is wrong on a line of the file: ``message`` is a template in English, ``values`` its fields."""

    line: int | None
    message: str
    values: Mapping[str, str] = MappingProxyType({})

    def said(self, path: Path, tr: Translator) -> str:
        """With the place before it, as compilers have it."""
        place = path.name if self.line is None else f"{path.name}:{self.line}"
        return f"{place}: {tr(self.message, **self.values)}"


class Keys(NamedTuple):
    """The keys of every command, as they are now."""

    of: Mapping[str, tuple[str, ...]] = MappingProxyType(DEFAULTS)
    """By the command's id."""
    faults: tuple[KeyFault, ...] = ()

    def shown(self, command: str) -> str:
        """The first key of a command as people write it, or nothing."""
        return next(map(shown, self.of[command]), "")

    def filled_in(self, text: str) -> str:
        """``text`` with the key of a command in the place of its id in braces."""
        return text.format_map({name: self.shown(name) for name in self.of}) if "{" in text else text

    def all_shown(self, command: str) -> str:
        """Every key of a command."""
        return " ".join(map(shown, self.of[command]))


def read_keys(path: Path) -> Keys:
    """The learner's keys; those of the table where there is no file, or where it is wrong."""
    if not path.is_file():
        return Keys()
    try:
        entries = load_toml(path)
        lines = _lines(path.read_text(encoding="utf-8"))
    except OSError as error:
        return Keys(faults=(KeyFault(None, N_("can't be read: {reason}"), {"reason": error.strerror or str(error)}),))
    except ValueError as error:  # not TOML, or not UTF-8
        place = _TOML_PLACE.search(str(error))
        line = int(place["line"]) if place and place["line"] else None
        reason = _TOML_PLACE.sub("", str(error))
        return Keys(faults=(KeyFault(line, N_("is no TOML, so nothing of it counts: {reason}"), {"reason": reason}),))
    wanted: dict[str, tuple[str, ...]] = {}
    faults = []
    for name in sorted(entries, key=lambda name: lines.get(name, 0)):
        try:
            wanted[name] = _wanted(name, entries[name])
        except UnusableKeyError as error:
            faults.append(KeyFault(lines.get(name), error.message, error.values))
    faults += _without_clashes(wanted, lines)
    return Keys(DEFAULTS | wanted, tuple(sorted(faults, key=lambda fault: fault.line or 0)))


def _lines(text: str) -> dict[str, int]:
    """Where each name stands first."""
    lines: dict[str, int] = {}
    for number, row in enumerate(text.splitlines(), 1):
        if match := re.match(r"\s*(?:\[\s*)?[\"']?([\w-]+)[\"']?\s*[=\].]", row):
            lines.setdefault(match[1], number)
    return lines


def _wanted(name: str, value: Any) -> tuple[str, ...]:
    """The keys that an entry asks for. Raises UnusableKeyError."""
    if name not in BY_ID:
        from difflib import get_close_matches

        if close := get_close_matches(name, BY_ID, 1):
            raise UnusableKeyError(N_("there is no command {name}; there is {close}"), name=name, close=close[0])
        raise UnusableKeyError(N_("there is no command {name}"), name=name)
    written = [value] if isinstance(value, str) else value
    if not isinstance(written, list) or not all(isinstance(key, str) for key in written):
        raise UnusableKeyError(N_('{name} needs a key, as in "ctrl+k", or a list of keys'), name=name)
    keys = tuple(dict.fromkeys(map(canonical, written)))
    from tritontui.keys.places import letters

    if taken := next((key for key in keys if key in letters()), None):
        raise UnusableKeyError(N_("{key} means something else on the map, in the steps or in the listings"), key=taken)
    if BY_ID[name].scope == "editor" and (letter := next(filter(is_letter, keys), None)):
        raise UnusableKeyError(N_("{name} works in the editor, where {key} is a letter to type"), name=name, key=letter)
    if name == "palette" and not any(not is_letter(key) for key in keys):
        raise UnusableKeyError(N_("the palette needs a key that works in the editor: it leads to everything else"))
    return keys


def _without_clashes(wanted: dict[str, tuple[str, ...]], lines: Mapping[str, int]) -> Iterator[KeyFault]:
    """Drop entries until no key belongs to two commands: of two entries the later one, never a default."""
    while True:
        owners: dict[str, str] = {}
        clash = None
        keys = DEFAULTS | wanted
        by_age = sorted(keys, key=lambda name: lines[name] if name in wanted else 0)
        for name in by_age:
            clash = next(((name, key) for key in keys[name] if key in owners), None)
            if clash is not None:
                break
            owners.update(dict.fromkeys(keys[name], name))
        if clash is None:
            return
        name, key = clash
        del wanted[name]
        yield KeyFault(lines[name], N_("{key} belongs to {other} already"), {"key": key, "other": owners[key]})


def commented(path: Path, tr: Translator) -> list[str]:
    """The rows of a file to start from: every command with its own keys, all of it commented out."""
    rows = [
        *_comment(tr("The keys of tritontui. This file belongs in {path}.", path=path)),
        "#",
        *_comment(
            tr(
                "Take the # away before a line and write the key or the keys that you want; [] is none, and every "
                "command stays in the palette. A letter works wherever nothing is being typed. Not every key arrives "
                "in every terminal. What can't be used is said when tritontui starts, and by tritontui keys."
            )
        ),
    ]
    titles = {
        "everywhere": tr("Everywhere"),
        "course": tr("In the course"),
        "trace": tr("In the trace viewer and the playground"),
        "editor": tr("In the editor"),
    }
    for scope, title in titles.items():
        rows += ["", *_comment(title)]
        for command in COMMANDS:
            if command.scope == scope:
                keys = ", ".join(f'"{key}"' for key in command.keys).replace("\\", "\\\\")
                rows.append(f"# {f'{command.id} = [{keys}]':<42} # {tr(command.help)}")
    return rows


def _comment(text: str) -> list[str]:
    return [f"# {row}" for row in wrap(text, COMMENT_WIDTH)]
