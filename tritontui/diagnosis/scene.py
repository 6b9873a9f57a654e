"""What a rule of recognition sees of a failure, and what a rule is."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Any, NamedTuple

from tritontui.diagnosis.catalogue import entry
from tritontui.diagnosis.finding import Failure, Finding
from tritontui.diagnosis.reading import Reading

LONGEST_READ = 4000
"""Characters of one message that rules look at."""

_EXCERPT_END = re.compile(r"^[ \t]*\^[ \t]*$", re.MULTILINE)
_LOGGED = re.compile(r"^(?P<file>[^\n:]+):(?P<line>\d+):(?P<column>\d+): error: (?P<text>.+)$", re.MULTILINE)
_QUOTED = re.compile(r"(?P<kind>[A-Z]\w+)\((?:(?P<quote>['\"])(?P<text>.*)(?P=quote))?,?\)", re.DOTALL)
"""An exception that Triton quotes as Python would write it: ``NameError('v is not defined')``."""
_COMPILER_KINDS = ("CompilationError", "UnsupportedLanguageConstruct", "CompileTimeAssertionFailure", "PTXASError")


class Said(NamedTuple):
    """One message of the chain."""

    kind: str
    """Class of the exception; ``log`` for a line that the compiler printed."""
    text: str
    line: int | None = None
    """Of a logged message."""


class Rule(NamedTuple):
    """``make`` gives the finding when ``pattern`` occurs in a message, or None when it was another fault after all."""

    pattern: str
    make: Callable[[Scene, re.Match[str]], Finding | None]
    kinds: tuple[str, ...] = ()
    """Classes of exception it is meant for; empty: any."""

    def search(self, said: Said) -> re.Match[str] | None:
        if self.kinds and said.kind not in self.kinds:
            return None
        return re.search(self.pattern, said.text)


class Scene:
    """A failure with the learner's file at hand."""

    def __init__(self, failure: Failure) -> None:
        self.failure = failure
        self.context = failure.context
        self.said = tuple(_messages(failure))
        """Root cause first, then outwards, then what the compiler printed."""

    @cached_property
    def reading(self) -> Reading:
        return Reading(self.failure.source)

    @property
    def line(self) -> int | None:
        """The blamed line: the exception's own, else the first that the compiler printed."""
        return self.failure.line or next((said.line for said in self.said if said.line), None)

    @property
    def column(self) -> int | None:
        return self.failure.column

    @property
    def in_kernel(self) -> bool:
        """Whether the compiler, or the kernel itself, failed; else the host code."""
        return self.failure.stage == "compile" or self._kinds & {*_COMPILER_KINDS, "KernelError"} != set()

    @property
    def arguments(self) -> dict[str, Any]:
        """Scalar arguments of the launch by parameter name."""
        return dict(self.context.get("arguments") or {})

    @property
    def source_line(self) -> str:
        lines = self.failure.source.splitlines()
        return lines[self.line - 1] if self.line and self.line <= len(lines) else ""

    def finding(self, identifier: str, at: int | None = None, **params: Any) -> Finding:
        """A finding on line ``at``, or on the blamed line and column."""
        return Finding(
            id=identifier,
            severity=entry(identifier).severity,
            line=at or self.line,
            column=self.column if at in (None, self.failure.line) else None,
            params=params,
        )

    def unknown(self) -> Finding:
        """What no rule knows, in the words of its root cause."""
        compiled = self.failure.stage == "compile" or self._kinds & set(_COMPILER_KINDS) != set()
        cause = next((said for said in self.said if said.text and said.kind != "log"), self.said[0])
        identifier = "compile-error" if compiled else "host-exception"
        return self.finding(identifier, kind=cause.kind, message=" ".join(cause.text.split()))

    @cached_property
    def _kinds(self) -> set[str]:
        return {said.kind for said in self.said}


def simple(identifier: str, **fixed: Any) -> Callable[[Scene, re.Match[str]], Finding]:
    """A maker whose params are ``fixed`` and the named groups of the pattern, digits as numbers."""

    def make(scene: Scene, match: re.Match[str]) -> Finding:
        found: dict[str, Any] = {name: _value(text) for name, text in match.groupdict().items() if text is not None}
        return scene.finding(identifier, None, **fixed, **found)

    return make


def closest(name: str, names: Iterable[str]) -> str:
    """The name that is spelt most alike, letter case apart; empty when none is near."""
    by_fold = {one.casefold(): one for one in names if one != name}
    found = difflib.get_close_matches(name.casefold(), by_fold, n=1, cutoff=0.6)
    return by_fold[found[0]] if found else ""


def short_type(text: str) -> str:
    """A type as Triton prints it, in short: ``fp32[64]`` of ``<['64'], fp32>``, ``int32`` unqualified."""
    text = text.strip().removesuffix("[]").removeprefix("triton.language.")
    block = re.fullmatch(r"<\[(.+)\], (.+)>", text)
    return f"{short_type(block[2])}[{', '.join(re.findall(r'[0-9]+', block[1]))}]" if block else text


def sizes(text: str) -> list[int]:
    """The numbers of a shape as Triton prints it: ``['constexpr[64]', '32']``."""
    return [int(number) for number in re.findall(r"\d+", text)]


def _messages(failure: Failure) -> Iterator[Said]:
    for link in (*reversed(failure.causes), failure):
        text = _without_excerpt(link.message)[:LONGEST_READ]
        if quoted := _QUOTED.fullmatch(text):
            yield Said(quoted["kind"], quoted["text"] or "")
        yield Said(link.kind, text)
    for match in _LOGGED.finditer(failure.log):
        yield Said("log", match["text"], int(match["line"]))


def _without_excerpt(message: str) -> str:
    """A compilation error's words without the lines of source that it quotes, which may say anything."""
    marks = list(_EXCERPT_END.finditer(message)) if message.startswith("at ") else []
    return message[marks[-1].end() :].strip() if marks else message


def _value(text: str) -> int | str:
    return int(text) if text.isdecimal() else text
