"""The compiler's listings read back: which source line each line came from, and how wide each access is."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tritontui.engine.messages import AccessWidth


def access_widths(ptx: str, file: str) -> list[AccessWidth]:
    """Bits that one thread moves with one instruction, by source line of ``file`` and operation, narrowest first seen.

    A line whose accesses differ (the peeled end of a loop, say) is given its narrowest.
    """
    narrowest: dict[tuple[int, str], int] = {}
    for text, line in zip(ptx.splitlines(), ptx_lines(ptx, file), strict=True):
        match = _GLOBAL_ACCESS.search(text)
        if match is None or line is None:
            continue
        op = {"ld": "load", "st": "store"}.get(match["op"], "atomic")
        bits = int(match["vector"] or 1) * int(match["bits"])
        narrowest[line, op] = min(bits, narrowest.get((line, op), bits))
    for text, line in zip(ptx.splitlines(), ptx_lines(ptx, file), strict=True):
        match = _ASYNC_COPY.search(text)
        if match is not None and line is not None:
            narrowest.setdefault((line, "load"), 8 * int(match["bytes"], 0))
    return [AccessWidth(line=line, op=op, bits=bits) for (line, op), bits in sorted(narrowest.items())]


_GLOBAL_ACCESS = re.compile(
    r"\b(?P<op>ld|st|atom|red)\.(?:\w+\.)*?global(?:\.(?!v\d|[bfsu]\d)[\w:]+)*(?:\.v(?P<vector>\d))?\.[bfsu](?P<bits>\d+)"
)
_ASYNC_COPY = re.compile(r"\bcp\.async\.c[ag]\.shared\.global\b[^;]*\],\s*(?P<bytes>0x[0-9a-fA-F]+|\d+)")


def amd_widths(assembly: str, file: str) -> list[AccessWidth]:
    """The same from AMD's assembly: ``global_load_dwordx4`` moves 128 bits a lane."""
    narrowest: dict[tuple[int, str], int] = {}
    for text, line in zip(assembly.splitlines(), amd_lines(assembly, file), strict=True):
        match = _AMD_ACCESS.search(text)
        if match is None or line is None:
            continue
        bits = _AMD_BITS.get(match["size"].removesuffix("_d16_hi").removesuffix("_d16"), 32)
        narrowest[line, match["op"]] = min(bits, narrowest.get((line, match["op"]), bits))
    return [AccessWidth(line=line, op=op, bits=bits) for (line, op), bits in sorted(narrowest.items())]


_AMD_ACCESS = re.compile(r"\b(?:global|buffer|flat)_(?P<op>load|store|atomic)_(?P<size>\w+)")
_AMD_BITS = {
    "dword": 32, "dwordx2": 64, "dwordx3": 96, "dwordx4": 128,
    "ubyte": 8, "sbyte": 8, "byte": 8, "ushort": 16, "sshort": 16, "short": 16,
}  # fmt: skip


def kernel_file(ttir: str) -> str:
    """Name, without folders, of the file in which a kernel's Triton IR says that it begins; empty: it says nothing."""
    match = _MODULE_LOC.search(ttir)
    return match[1].rpartition("/")[2] if match else ""


_MODULE_LOC = re.compile(r'^#loc = loc\("([^"]*)":\d+:\d+\)$', re.MULTILINE)


def source_lines(kind: str, text: str, file: str) -> list[int | None]:
    """For each line of a listing, the line of ``file`` (a name without folders) that it came from; None: none known.

    Where code was inlined from another file, the line of ``file`` that called it counts. Raises KeyError for a kind
    that isn't known.
    """
    readers: Mapping[str, Callable[[str, str], list[int | None]]] = {
        "ttir": mlir_lines,
        "ttgir": mlir_lines,
        "llir": llvm_lines,
        "ptx": ptx_lines,
        "amdgcn": amd_lines,
        "sass": sass_lines,
    }
    return readers[kind](text, file)


# ---------------------------------------------------------------- MLIR: loc(#loc12), defined at the end


_LOC_DEFINITION = re.compile(r"^(#loc\d*) = loc\((.*)\)$")
_LOC_USE = re.compile(r"loc\((#loc\d*)\)\s*$")
_LOC_INLINE = re.compile(r'loc\("(?P<file>[^"]*)":(?P<line>\d+):\d+\)')
_LOC_PARTS = re.compile(r'"(?P<file>[^"]*)":(?P<line>\d+):\d+|(?P<name>#loc\d*)')


def mlir_lines(text: str, file: str) -> list[int | None]:
    """Lines of Triton IR and of Triton GPU IR."""
    definitions = {match[1]: match[2] for line in text.splitlines() if (match := _LOC_DEFINITION.match(line))}
    known: dict[str, int | None] = {}
    result: list[int | None] = []
    for line in text.splitlines():
        if _LOC_DEFINITION.match(line):
            result.append(None)
        elif match := _LOC_USE.search(line):
            result.append(_resolve(match[1], definitions, known, file))
        else:
            inline = _LOC_INLINE.search(line)
            result.append(int(inline["line"]) if inline and _is(inline["file"], file) else None)
    return result


def _resolve(name: str, definitions: Mapping[str, str], known: dict[str, int | None], file: str) -> int | None:
    """First place in ``file`` among the parts of a location, callee before caller."""
    if name not in known:
        known[name] = None  # a location can't contain itself, but a damaged listing must not recurse for ever
        for part in _LOC_PARTS.finditer(definitions.get(name, "")):
            if part["name"]:
                found = _resolve(part["name"], definitions, known, file)
            else:
                found = int(part["line"]) if _is(part["file"], file) else None
            if found is not None:
                known[name] = found
                break
    return known[name]


# ---------------------------------------------------------------- LLVM IR: !dbg !12, defined at the end


@dataclass(frozen=True)
class _Location:
    line: int
    scope: str
    inlined_at: str | None


_DEBUG_USE = re.compile(r"!dbg (!\d+)")
_DI_LOCATION = re.compile(
    r"^(!\d+) = (?:distinct )?!DILocation\(line: (\d+)(?:, column: \d+)?, scope: (!\d+)(?:, inlinedAt: (!\d+))?"
)
_DI_FILE = re.compile(r'^(!\d+) = !DIFile\(filename: "([^"]*)"')
_DI_SCOPE = re.compile(r"^(!\d+) = (?:distinct )?!DI(?:Subprogram|LexicalBlock(?:File)?)\((.*)\)$")
_DI_SCOPE_FILE = re.compile(r"\bfile: (!\d+)")


def llvm_lines(text: str, file: str) -> list[int | None]:
    """Lines of LLVM IR."""
    locations: dict[str, _Location] = {}
    files: dict[str, str] = {}
    scopes: dict[str, str] = {}
    for line in text.splitlines():
        if match := _DI_LOCATION.match(line):
            locations[match[1]] = _Location(int(match[2]), match[3], match[4])
        elif match := _DI_FILE.match(line):
            files[match[1]] = match[2]
        elif (match := _DI_SCOPE.match(line)) and (owner := _DI_SCOPE_FILE.search(match[2])):
            scopes[match[1]] = owner[1]

    def resolve(name: str | None) -> int | None:
        while name is not None and name in locations:
            location = locations[name]
            if _is(files.get(scopes.get(location.scope, ""), ""), file):
                return location.line
            name = location.inlined_at
        return None

    return [resolve(match[1]) if (match := _DEBUG_USE.search(line)) else None for line in text.splitlines()]


# ---------------------------------------------------------------- PTX: .loc file line column, before the instructions


_PTX_FILE = re.compile(r'^\s*\.file\s+(\d+)\s+"([^"]*)"')
_PTX_LOC = re.compile(r"^\s*\.loc\s+(\d+)\s+(\d+)\s+\d+(?:.*inlined_at\s+(\d+)\s+(\d+))?")


def ptx_lines(ptx: str, file: str) -> list[int | None]:
    """Lines of PTX. Inside inline assembly LLVM counts lines of the assembly text on: those marks are passed over."""
    names = {match[1]: match[2] for line in ptx.splitlines() if (match := _PTX_FILE.match(line))}
    own = {number for number, name in names.items() if _is(name, file)}
    result: list[int | None] = []
    current: int | None = None
    inside = False
    for line in ptx.splitlines():
        if "// begin inline asm" in line:
            inside = True
        elif "// end inline asm" in line:
            inside = False
        elif not inside and (match := _PTX_LOC.match(line)):
            current = _ptx_line(match, own, current)
        result.append(current)
    return result


def _ptx_line(match: re.Match[str], own: set[str], current: int | None) -> int | None:
    """Code inlined from elsewhere keeps the line of its call; two calls deep, an earlier mark has set it."""
    if match[1] in own:
        return int(match[2])
    if match[3] in own:
        return int(match[4])
    return current if match[3] else None


# ---------------------------------------------------------------- AMD assembly: the same marks, other files' names


_AMD_FILE = re.compile(r'^\s*\.file\s+(\d+)\s+(?:"[^"]*"\s+)?"([^"]*)"')
_AMD_LOC = re.compile(r"^\s*\.loc\s+(\d+)\s+(\d+)")


def amd_lines(text: str, file: str) -> list[int | None]:
    """Lines of AMD assembly; code inlined from another file has none of its own and keeps the last."""
    own = {match[1] for line in text.splitlines() if (match := _AMD_FILE.match(line)) and _is(match[2], file)}
    result: list[int | None] = []
    current: int | None = None
    for line in text.splitlines():
        if (match := _AMD_LOC.match(line)) and match[1] in own:
            current = int(match[2])
        result.append(current)
    return result


# ---------------------------------------------------------------- SASS, as nvdisasm -c -gi prints it


_SASS_MARK = re.compile(r'//## File "([^"]*)", line (\d+)')
_SASS_INSTRUCTION = re.compile(r"^\s*/\*[0-9a-f]{4,}\*/")
_SASS_ACCESS = re.compile(r"\b(LDGSTS|LDG|STG|ATOMG|ATOM|RED)\b")
_PTX_ACCESS = re.compile(r"\b(cp\.async|ld|st|atom|red)\.\S*global")
_SAME_ACCESS = {"LDGSTS": "cp.async", "LDG": "ld", "STG": "st", "ATOMG": "atom", "ATOM": "atom", "RED": "red"}


def sass_lines(sass: str, file: str) -> list[int | None]:
    """Lines of SASS: a run of marks goes from the innermost function outwards."""
    result: list[int | None] = []
    current: int | None = None
    in_marks = False
    for line in sass.splitlines():
        if match := _SASS_MARK.search(line):
            if not in_marks:
                current, in_marks = None, True
            if current is None and _is(match[1], file):
                current = int(match[2])
            result.append(None)
        else:
            in_marks = False
            result.append(current if _SASS_INSTRUCTION.match(line) else None)
    return result


def with_true_accesses(sass: str, lines: list[int | None], ptx: str, file: str) -> list[int | None]:
    """``lines`` of ``sass``, with each global access on the line that the kernel makes it on.

    Triton writes accesses as inline assembly of several lines, and LLVM counts them on from the kernel's line: the
    access itself, last of them, is marked some lines too low, in the binary too. The PTX tells by how much.
    """
    true_line = _inline_accesses(ptx, file)

    def corrected(text: str, line: int | None) -> int | None:
        match = _SASS_ACCESS.search(text)
        if match is None or line is None:
            return line
        return true_line.get((_SAME_ACCESS[match[1]], line), line)

    return [corrected(text, line) for text, line in zip(sass.splitlines(), lines, strict=True)]


def _inline_accesses(ptx: str, file: str) -> dict[tuple[str, int], int]:
    """For accesses in inline assembly: (operation, the line they are marked with) → the line they belong to."""
    moved: dict[tuple[str, int], int] = {}
    marked: int | None = None
    for text, line in zip(ptx.splitlines(), ptx_lines(ptx, file), strict=True):
        if "// begin inline asm" in text:
            marked = line
        elif match := _PTX_LOC.match(text):
            marked = int(match[2])
        elif (access := _PTX_ACCESS.search(text)) and line is not None and marked is not None:
            moved[access[1], marked] = line
    return moved


def _is(path: str, file: str) -> bool:
    return path == file or path.endswith("/" + file)
