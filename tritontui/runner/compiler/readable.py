"""The compiler's listings without what only a debugger reads; each line keeps its source line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import takewhile

Line = tuple[str, int | None]
"""Text, and the line of the learner's file that it came from."""


def readable(kind: str, lines: Iterable[Line]) -> Iterator[Line]:
    """Places, debug information and empty lines are left out. Raises KeyError for a kind that isn't known."""
    readers: dict[str, Callable[[Iterable[Line]], Iterator[Line]]] = {
        "ttir": _mlir,
        "ttgir": _mlir,
        "llir": _llvm,
        "ptx": _assembly,
        "amdgcn": _assembly,
        "sass": _sass,
    }
    return ((_without_tabs(text), source) for text, source in readers[kind](lines) if text.strip())


def _without_tabs(text: str) -> str:
    """Four columns for each tab that indents, a blank for one between words."""
    words = text.lstrip("\t")
    return "    " * (len(text) - len(words)) + _INNER_TAB.sub(" ", words)


_INNER_TAB = re.compile(r"\s*\t\s*")


_MLIR_PLACE = re.compile(r'\s*loc\((?:#loc\d*|"[^"]*"(?::\d+:\d+|\(#loc\d*\)))\)')


def _mlir(lines: Iterable[Line]) -> Iterator[Line]:
    return ((_MLIR_PLACE.sub("", text), source) for text, source in lines if not text.startswith("#loc"))


_LLVM_SETTING = ("!", "source_filename", "target datalayout", "attributes #", "; ModuleID", "; Function Attrs")
_LLVM_PLACE = re.compile(r",? !dbg !\d+")


def _llvm(lines: Iterable[Line]) -> Iterator[Line]:
    for text, source in lines:
        if not text.startswith(_LLVM_SETTING) and "#dbg_" not in text:
            yield _LLVM_PLACE.sub("", text), source


_DEBUG_SECTION = re.compile(r"^\s*\.section\s+\.debug")
_DEBUG_LINE = re.compile(
    r"^\s*(?:\.loc\b|\.file\b|\.cfi_|\.ident\b|\.addrsig|//|;\s*%bb|(?:\$L__|\.L)(?:tmp|func_begin|func_end)\d*:)"
)
_END_OF_LINE = re.compile(r"\s*// -- .*$")


def _assembly(lines: Iterable[Line]) -> Iterator[Line]:
    """PTX and AMD's assembly: up to the debug sections, which stand last."""
    for text, source in takewhile(lambda line: not _DEBUG_SECTION.match(line[0]), lines):
        if not _DEBUG_LINE.match(text):
            yield _END_OF_LINE.sub("", text), source


_SASS_INSTRUCTION = re.compile(r"^\s*(/\*[0-9a-f]{4,}\*/)\s+(@!?U?P\w+)?\s*(.*?)\s*;?\s*$")


def _sass(lines: Iterable[Line]) -> Iterator[Line]:
    """Instructions with their predicates in a column, and labels."""
    for text, source in lines:
        if match := _SASS_INSTRUCTION.match(text):
            yield f"{match[1]} {match[2] or '':>5} {match[3]}", source
        elif text.endswith(":") and not text.startswith((" ", ".text")):
            yield text, source
