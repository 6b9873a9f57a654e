"""Names of ``tl`` and ``triton`` with their documentation, read from the installed Triton's source, never imported.

Importing Triton takes a third of a second and a lot of memory, and parsing its files whole takes more than a screen
may wait. So definitions are found by their layout in the text, and a signature is parsed when somebody looks at it.
"""

from __future__ import annotations

import ast
import importlib.util
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from inspect import cleandoc
from pathlib import Path

_FIRST = (
    "load", "store", "arange", "program_id", "num_programs", "constexpr", "zeros", "dot", "sum", "max", "where", "exp",
    "float32", "jit", "cdiv", "next_power_of_2",
)  # fmt: skip
"""Offered before the rest, which comes by the alphabet."""


@dataclass(frozen=True)
class Name:
    """One public name, such as ``tl.load``."""

    qualified: str
    """As learners write it: ``tl.load``, ``triton.cdiv``."""
    header: str = ""
    """The parameters as they stand in the source; empty for what is no function."""
    doc: str = ""
    """Its docstring, in Triton's own English."""

    @cached_property
    def signature(self) -> str:
        """``(pointer, mask=None, other=None, …)``: parameters and defaults, without types and the compiler's own."""
        if not self.header:
            return ""
        try:
            function = ast.parse(f"def f({self.header}): pass").body[0]
        except SyntaxError:
            return "(…)"
        assert isinstance(function, ast.FunctionDef)
        return f"({', '.join(_parameters(function.args))})"

    @property
    def summary(self) -> str:
        """The first sentence of its documentation."""
        paragraph = self.paragraphs[0] if self.paragraphs else ""
        return re.split(r"(?<=[.:])\s", paragraph, maxsplit=1)[0].rstrip(":")

    @cached_property
    def paragraphs(self) -> tuple[str, ...]:
        """The documentation without its markup: running text as one line each, indented lines as they stand."""
        text = re.sub(r":\w+:`([^`]*)`", r"`\1`", self.doc)
        text = re.sub(r"^\s*(?::r?type\b|\.\. \S).*\n?(?:[ \t]+\S.*\n?)*", "\n", text, flags=re.MULTILINE)
        text = re.sub(r"^\s*:param (\w+):", r"\n`\1`:", text, flags=re.MULTILINE)
        return tuple(part for group in re.split(r"\n\s*\n", text) for part in _unwrapped(group))


def _unwrapped(group: str) -> list[str]:
    """Lines of one depth, joined; lines of many depths (an example, a list) as they are."""
    lines = [line.rstrip() for line in group.split("\n") if line.strip()]
    depths = {len(line) - len(line.lstrip()) for line in lines[1:]}
    if len(depths) <= 1 and not any(line.lstrip().startswith((">>>", "- ", "(")) for line in lines):
        joined = " ".join(line.strip() for line in lines)
        return [joined] if joined else []
    return lines


class Names:
    """The public names of one installation of Triton."""

    def __init__(self, names: Iterable[Name]) -> None:
        self._names: Mapping[str, Name] = {name.qualified: name for name in names}

    def __len__(self) -> int:
        return len(self._names)

    def get(self, qualified: str) -> Name | None:
        """The name written as ``qualified`` (``tl.load`` or ``triton.language.load``), if there is one."""
        return self._names.get(_shortened(qualified))

    def complete(self, typed: str) -> list[str]:
        """Names that go on from ``typed``, the usual ones first; none while no dot has been typed."""
        prefix = _shortened(typed)
        if "." not in prefix:
            return []
        found = [name for name in self._names if name.startswith(prefix) and "." not in name[len(prefix) :]]
        return [typed + name[len(prefix) :] for name in sorted(found, key=_rank)]


def read_names(package: Path | None = None) -> Names:
    """Read the names from ``package``, by default the installed Triton; no names where there is none."""
    if package is None:
        spec = importlib.util.find_spec("triton")
        if spec is None or not spec.submodule_search_locations:
            return Names(())
        package = Path(next(iter(spec.submodule_search_locations)))
    return Names(_public(package))


def _rank(qualified: str) -> tuple[bool, int, str]:
    last = qualified.rpartition(".")[2]
    return last not in _FIRST, _FIRST.index(last) if last in _FIRST else 0, qualified.lower()


def _shortened(qualified: str) -> str:
    long = "triton.language"
    return "tl" + qualified[len(long) :] if qualified == long or qualified.startswith(long + ".") else qualified


# ------------------------------------------------------------------------------------------------ reading the source

_DEFINITION = re.compile(
    r"""^(?P<decorators>(?:@[^\n]*\n(?:[ ]+[^\n]*\n)*)*)
        (?:def|class)[ ](?P<name>\w+)
        (?:\((?P<header>(?:[^()]|\([^()]*\))*)\))?
        [^\n:]*:[^\n]*\n
        (?:\s+r?(?P<quote>\"\"\"|\'\'\')(?P<doc>.*?)(?P=quote))?""",
    re.MULTILINE | re.VERBOSE | re.DOTALL,
)
_DOC_DECORATOR = re.compile(r"^@(?:\w+\.)?(\w*docstr\w*)\(\"([^\"]*)\"", re.MULTILINE)
_TEMPLATE = re.compile(r"^def (\w*docstr\w*)\(.*?\"\"\"(.*?)\"\"\"", re.MULTILINE | re.DOTALL)
_ASSIGNED_DOC = re.compile(r"^(\w+)\.__doc__ = f?\"\"\"(.*?)\"\"\"", re.MULTILINE | re.DOTALL)
_LANGUAGE = ("core.py", "math.py", "standard.py", "random.py")
_HOST = ("runtime/jit.py", "runtime/autotuner.py", "testing.py", "__init__.py")


def _public(package: Path) -> Iterator[Name]:
    language = [_text(package / "language" / file) for file in _LANGUAGE]
    device = _definitions(language)
    for last in _exported(_text(package / "language" / "__init__.py")):
        yield _named(f"tl.{last}", device.get(last))
    for last, name in _definitions(language[:2]).items():
        if name.doc and not last.startswith("_") and f"def {last}(" in language[1]:
            yield _named(f"tl.math.{last}", name)
    host = _definitions([_text(package / file) for file in _HOST])
    for last in _exported(_text(package / "__init__.py")):
        yield _named(f"triton.{last}", host.get(last))
    for last in ("do_bench", "assert_close", "Benchmark", "perf_report"):
        if last in host:
            yield _named(f"triton.testing.{last}", host[last])


def _named(qualified: str, name: Name | None) -> Name:
    return Name(qualified, name.header, name.doc) if name else Name(qualified)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _exported(source: str) -> list[str]:
    """The strings of ``__all__``."""
    listed = re.search(r"^__all__ = \[(.*?)\]", source, re.MULTILINE | re.DOTALL)
    return re.findall(r"\"(\w+)\"", listed[1].replace("'", '"')) if listed else []


def _definitions(sources: Sequence[str]) -> dict[str, Name]:
    """Functions and classes at the left edge of the sources; docstrings that decorators add are filled in."""
    templates = {name: doc for source in sources for name, doc in _TEMPLATE.findall(source) if "{name}" in doc}
    assigned = {name: doc for source in sources for name, doc in _ASSIGNED_DOC.findall(source)}
    known = {}
    for source in sources:
        for found in _DEFINITION.finditer(source):
            name = found["name"]
            doc = found["doc"] or assigned.get(name, "")
            added = _DOC_DECORATOR.search(found["decorators"])
            if added and added[1] in templates:
                doc = templates[added[1]].replace("{name}", added[2])
            is_function = source.startswith("def", found.end("decorators"))
            known[name] = Name(name, (found["header"] or "") if is_function else "", cleandoc(doc))
    return known


def _parameters(arguments: ast.arguments) -> Iterator[str]:
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(positional) - len(arguments.defaults)) + list(arguments.defaults)
    for parameter, default in zip(positional, defaults, strict=True):
        if not parameter.arg.startswith("_"):
            yield _parameter(parameter.arg, default)
    if arguments.vararg:
        yield f"*{arguments.vararg.arg}"
    named = [p for p in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if not p[0].arg.startswith("_")]
    if named and not arguments.vararg:
        yield "*"
    for parameter, default in named:
        yield _parameter(parameter.arg, default)
    if arguments.kwarg:
        yield f"**{arguments.kwarg.arg}"


def _parameter(name: str, default: ast.expr | None) -> str:
    return name if default is None else f"{name}={ast.unparse(default)}"
