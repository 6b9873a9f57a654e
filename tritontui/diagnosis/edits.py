"""Small changes to a learner's function, one at a time, each of which undoes a kind of slip.

Nothing here knows whether a change helps: ``runner/repair.py`` tries them. A change keeps the number of lines, so that
everything else stays where the learner sees it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tritontui.diagnosis.names import Names, Role
from tritontui.diagnosis.reading import FunctionDef, last_name, parameters

LONGEST_SHOWN = 60
"""Characters of an expression that a message quotes."""
NAMED, ODD, LIKELY, POSSIBLE, FAR_FETCHED = range(5)
"""How soon a change is tried: what the names suggest, what looks odd by itself (a name that nothing uses), the rest."""

_OPERATORS: Mapping[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.BitAnd: "&",
    ast.BitOr: "|",
}
_OTHERS: Mapping[type[ast.operator], tuple[str, ...]] = {
    ast.Add: ("-", "*"),
    ast.Sub: ("+", "*"),
    ast.Mult: ("+", "/", "-"),
    ast.Div: ("*", "-", "//"),
    ast.FloorDiv: ("%",),
    ast.Mod: ("//",),
    ast.BitAnd: ("|",),
    ast.BitOr: ("&",),
}
_EXCHANGED = (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod)
"""Operators for which the order of the operands counts."""
_COMPARISONS: Mapping[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}
_NEAR: Mapping[str, tuple[str, ...]] = {
    "<": ("<=", ">", ">="),
    "<=": ("<", ">=", ">"),
    ">": (">=", "<", "<="),
    ">=": (">", "<=", "<"),
    "==": ("!=", "<=", ">="),
    "!=": ("==", "<", ">"),
}
_FAMILIES: Sequence[tuple[str, ...]] = (
    ("max", "min", "sum"),
    ("argmax", "argmin"),
    ("cumsum", "cumprod"),
    ("maximum", "minimum"),
    ("exp", "exp2"),
    ("log", "log2"),
    ("sqrt", "rsqrt"),
    ("sin", "cos"),
    ("floor", "ceil"),
    ("atomic_add", "atomic_max", "atomic_min"),
)
"""Functions of ``tl`` that are taken for one another."""
_DTYPES = ("float16", "bfloat16", "int8", "int16", "int32", "int64", "float64")
_UNARY = ("trans", "exp", "exp2", "log", "log2", "sqrt", "rsqrt", "abs", "sigmoid", "floor", "ceil")
_REDUCTIONS = ("max", "min", "sum", "argmax", "argmin", "cumsum", "cumprod", "xor_sum", "reduce")
_SHAPING = ("arange", "zeros", "full", "program_id", "num_programs", "reshape", "view", "cast")
"""Functions whose own arguments aren't tried: they decide shapes and types."""


@dataclass(frozen=True)
class Edit:
    """One change: the bytes ``start`` … ``end`` of the file become ``text``."""

    kind: str
    """Id of the finding that it would mean."""
    node: ast.AST
    """What is changed, in the learner's tree."""
    expression: str
    """What the message quotes: the expression around it."""
    part: str
    """What in it is at fault; ``""`` where the expression as a whole is."""
    start: int
    end: int
    text: str
    likely: int
    """``NAMED``, ``ODD``, ``LIKELY``, ``POSSIBLE`` or ``FAR_FETCHED``: in this order they are tried."""

    in_kernel: bool = True

    @property
    def line(self) -> int:
        """Line in the learner's file, from 1."""
        return int(getattr(self.node, "lineno", 1))

    @property
    def column(self) -> int:
        """Column in that line, from 1."""
        return int(getattr(self.node, "col_offset", 0)) + 1


class Source:
    """A text whose nodes can be cut out and replaced; offsets count bytes, as ``ast`` does."""

    def __init__(self, source: str) -> None:
        self.data = source.encode()
        self._starts = [0]
        for line in self.data.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))

    def start(self, node: ast.AST) -> int:
        place: Any = node
        return int(self._starts[place.lineno - 1] + place.col_offset)

    def end(self, node: ast.AST) -> int:
        place: Any = node
        return int(self._starts[place.end_lineno - 1] + place.end_col_offset)

    def segment(self, node: ast.AST) -> str:
        return self.data[self.start(node) : self.end(node)].decode()

    def changed(self, edit: Edit) -> str:
        """The text after ``edit``, with as many lines as before."""
        old = self.data[edit.start : edit.end]
        missing = old.count(b"\n") - edit.text.count("\n")
        new = f"({edit.text}{chr(10) * missing})" if missing > 0 else edit.text
        return (self.data[: edit.start] + new.encode() + self.data[edit.end :]).decode()


def kernel_edits(source: Source, function: FunctionDef, tensors: Iterable[str] = ()) -> list[Edit]:
    """Changes to a kernel, the likeliest first. ``tensors``: those of its parameters that are pointers."""
    return _Maker(source, function, Names(function, frozenset(tensors))).edits()


def host_edits(source: Source, function: FunctionDef) -> list[Edit]:
    """Changes to what a host function reckons, the likeliest first; never to what it allocates or returns."""
    maker = _Maker(source, function, Names(function, frozenset()))
    kinds = ("wrong-operator", "surplus-term", "wrong-constant")
    found = [edit for edit in maker.edits() if edit.kind in kinds and not maker.divides(edit.node)]
    return [replace(edit, in_kernel=False, likely=min(edit.likely, POSSIBLE)) for edit in found]


class _Maker:
    def __init__(self, source: Source, function: FunctionDef, names: Names) -> None:
        self.source = source
        self.function = function
        self.names = names
        self.parents: dict[ast.AST, ast.AST] = {
            child: parent for parent in ast.walk(function) for child in ast.iter_child_nodes(parent)
        }

    def edits(self) -> list[Edit]:
        found = [edit for statement in self.function.body for edit in self._of_statement(statement)]
        return sorted(found, key=lambda edit: edit.likely)

    def _of_statement(self, statement: ast.stmt) -> Iterator[Edit]:
        for node in ast.walk(statement):
            if self._is_fixed(node):
                continue
            match node:
                case ast.BinOp():
                    yield from self._operator(node)
                    yield from self._too_much(node)
                case ast.AugAssign():
                    yield from self._augmented(node)
                case ast.Assign():
                    yield from self._overwritten(node)
                case ast.UnaryOp(op=ast.USub() | ast.Invert(), operand=operand) if not isinstance(
                    operand, ast.Constant
                ):
                    yield self._edit("surplus-term", node, self.source.segment(operand), ODD, whole=node)
                case ast.Attribute(value=ast.Name(id="tl"), attr=dtype) if dtype in _DTYPES:
                    yield self._edit("wrong-type", node, "tl.float32", LIKELY, f"tl.{dtype}", self._around(node))
                case ast.Compare(ops=[op], left=left, comparators=[right]) if type(op) in _COMPARISONS:
                    yield from self._comparison(node, _COMPARISONS[type(op)], left, right)
                case ast.Call():
                    yield from self._call(node)
                case ast.Constant(value=int() | float() as value) if not isinstance(value, (bool, complex)):
                    yield from self._constant(node, value)
                case ast.Name(ctx=ast.Load()):
                    yield from self._name(node)
                case ast.Subscript(slice=ast.Tuple(elts=[first, second])):
                    yield from self._axes(node, first, second)
                case ast.For(iter=ast.Call(args=[_, *_]) as call) if last_name(call.func) in ("range", "static_range"):
                    yield from self._bounds(call)
        if isinstance(statement, (ast.Assign, ast.Expr)):
            yield from self._missing(statement)

    def divides(self, node: ast.AST) -> bool:
        """Whether ``node`` is a division, which a host function does to count blocks: without it there are too many."""
        return isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Div, ast.FloorDiv))

    # ------------------------------------------------------------ kinds

    def _operator(self, node: ast.BinOp) -> Iterator[Edit]:
        left, right = self._sides(node)
        if self.names.is_address(node):
            return  # a pointer plus its offsets
        data = self.names.holds_data(node)
        likely = LIKELY if data else POSSIBLE
        written = _OPERATORS.get(type(node.op), "")
        for other in _OTHERS.get(type(node.op), ())[: None if data else 1]:
            text = f"(({left}) {other} ({right}))"
            yield self._edit("wrong-operator", node, text, likely, part=written, whole=node)
        if isinstance(node.op, _EXCHANGED):
            text = f"(({right}) {written} ({left}))"
            yield self._edit("wrong-operand", node, text, likely, whole=node)

    def _too_much(self, node: ast.BinOp) -> Iterator[Edit]:
        likely = LIKELY if self.names.holds_data(node) else POSSIBLE
        if isinstance(node.right, ast.Constant) and isinstance(node.op, (ast.Add, ast.Sub)) and likely is POSSIBLE:
            likely = ODD  # ``n - 1``
        for side in (node.left, node.right):
            if not self.names.is_address(node) or self.names.is_address(side):
                yield self._edit("surplus-term", node, f"({self.source.segment(side)})", likely, whole=node)

    def _augmented(self, node: ast.AugAssign) -> Iterator[Edit]:
        target, value = self.source.segment(node.target), self.source.segment(node.value)
        written = _OPERATORS.get(type(node.op), "")
        for other in _OTHERS.get(type(node.op), ()):
            yield self._edit("wrong-operator", node, f"{target} {other}= ({value})", LIKELY, f"{written}=", node)

    def _overwritten(self, node: ast.Assign) -> Iterator[Edit]:
        """``acc = x`` in a loop that ``acc`` comes into with a value."""
        target = node.targets[0]
        if not isinstance(target, ast.Name) or not self._loop(node) or target.id in self.names.used_by(node.value):
            return
        if self.names.set_before(target.id, node):
            text = f"{target.id} += ({self.source.segment(node.value)})"
            yield self._edit("accumulator-overwritten", node, text, ODD, target.id, node)

    def _comparison(self, node: ast.Compare, written: str, left: ast.expr, right: ast.expr) -> Iterator[Edit]:
        one, other = self.source.segment(left), self.source.segment(right)
        for near in _NEAR[written][:2]:
            yield self._edit("wrong-operator", node, f"(({one}) {near} ({other}))", POSSIBLE, written, node)

    def _call(self, node: ast.Call) -> Iterator[Edit]:
        name = last_name(node.func)
        for family in _FAMILIES:
            if name in family and isinstance(node.func, ast.Attribute):
                for other in family:
                    if other != name:
                        text = f"{self.source.segment(node.func.value)}.{other}"
                        yield self._edit("wrong-function", node.func, text, LIKELY, f"tl.{name}", node)
        if name == "arange" and len(node.args) == 2 and getattr(node.args[0], "value", 0) != 0:
            first, last = (self.source.segment(one) for one in node.args)
            function = self.source.segment(node.func)
            yield self._edit("wrong-constant", node, f"{function}(0, ({last}) - ({first}))", ODD, first, node)
        if name in ("load", "store") and node.args:
            yield from self._bare_address(node.args[0])
            yield from self._same_each_round(node.args[0])
        if name in _REDUCTIONS:
            for argument in (*node.args[1:2], *(one.value for one in node.keywords if one.arg == "axis")):
                if isinstance(argument, ast.Constant) and argument.value in (0, 1):
                    yield self._edit(
                        "wrong-axis",
                        argument,
                        "1" if argument.value == 0 else "0",
                        LIKELY,
                        f"axis={argument.value}",
                        node,
                    )
        elif len(node.args) == 1 and not node.keywords and name in _UNARY:
            likely = LIKELY if name == "trans" else POSSIBLE
            yield self._edit("surplus-term", node, f"({self.source.segment(node.args[0])})", likely, whole=node)
        if name == "store" or name.startswith("atomic_"):
            yield from self._unmasked(node)
            yield from self._comparison_stored(node)

    def _constant(self, node: ast.Constant, value: float) -> Iterator[Edit]:
        parent = self.parents.get(node)
        if isinstance(parent, ast.keyword) and parent.arg == "other":
            for padding in ("0.0", '-float("inf")', 'float("inf")', "1.0"):
                yield self._edit("wrong-constant", node, f"({padding})", ODD, repr(value), parent)
        if isinstance(parent, (ast.Subscript, ast.Slice, ast.keyword, ast.Tuple)):
            return
        likely = LIKELY if parent is not None and self.names.holds_data(parent) else POSSIBLE
        if isinstance(parent, ast.Call) and last_name(parent.func) == "full":
            likely = ODD  # what a sum begins with
        for other in (value + 1, value - 1):
            yield self._edit("wrong-constant", node, f"({other!r})", likely, repr(value), self._around(node))

    def _name(self, node: ast.Name) -> Iterator[Edit]:
        names, around = self.names, self._around(node)
        role = Role.DATA if self._is_stored(node) else names.role(node.id)
        if self._is_stored(node) and names.role(node.id) is Role.MASK:
            for other in names.alike(Role.INDEX, node):
                yield self._edit("wrong-operand", node, other, LIKELY, node.id, around)
        if role is None or isinstance(self.parents.get(node), ast.Attribute):
            return
        if isinstance(self.parents.get(node), ast.Call) and self.parents[node].func is node:  # type: ignore[attr-defined]
            return
        compared = isinstance(self.parents.get(node), ast.Compare)
        telling = compared or self._in_address(node)
        for other in names.alike(role, node):
            if role is Role.SCALAR and other in names.unused and not telling:
                continue
            fitting = POSSIBLE if role is Role.DATA or telling else FAR_FETCHED
            likely = ODD if other in names.unused else fitting
            if likely == ODD and role is Role.POINTER and other.startswith(f"{self._given_to(node)}_"):
                likely = NAMED  # ``x = tl.load(y_ptr)``
            yield self._edit("wrong-operand", node, other, likely, node.id, around)
        if role in (Role.INDEX, Role.SCALAR) and self._in_address(node):
            yield from self._unscaled(node)

    def _unscaled(self, node: ast.Name) -> Iterator[Edit]:
        """An index in an address without the stride it needs."""
        whole = self._subscripted(node)
        parent = self.parents.get(whole)
        multiplied = isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Mult)
        for other in self.names.alike(Role.SCALAR, node):
            unused = other in self.names.unused
            if unused or not multiplied:
                text = f"({self.source.segment(whole)} * {other})"
                part = other if unused else ""
                yield self._edit("missing-term", whole, text, ODD if unused else LIKELY, part, self._around(whole))

    def _comparison_stored(self, node: ast.Call) -> Iterator[Edit]:
        """``tl.store(out_ptr + offs, offs < n, …)``"""
        if len(node.args) > 1 and isinstance(value := node.args[1], ast.Compare):
            for other in (*self.names.alike(Role.DATA, node), *self.names.alike(Role.INDEX, node)):
                yield self._edit("wrong-operand", value, other, LIKELY, self.source.segment(value), node)

    def _unmasked(self, node: ast.Call) -> Iterator[Edit]:
        """A store without a mask beside loads that have one."""
        if any(keyword.arg == "mask" for keyword in node.keywords) or len(node.args) != 2:
            return
        for mask in self.names.alike(Role.MASK, node):
            address, value = (self.source.segment(one) for one in node.args)
            text = f"{self.source.segment(node.func)}({address}, {value}, mask={mask})"
            yield self._edit("missing-mask", node, text, ODD, "", node)

    def _same_each_round(self, address: ast.expr) -> Iterator[Edit]:
        """``tl.load(a_ptrs)`` in a loop in which nothing moves ``a_ptrs``."""
        loop = self._loop(address)
        if not isinstance(loop, ast.For) or not isinstance(loop.target, ast.Name) or not isinstance(address, ast.Name):
            return
        if address.id in self.names.set_in(loop) or self.names.role(address.id) is not Role.POINTER:
            return
        round_ = loop.target.id
        for constant in ("1", *self.names.constants):
            for stride in ("1", *self.names.alike(Role.SCALAR, address)):
                text = f"({address.id} + {round_} * {constant} * {stride})"
                yield self._edit("same-each-round", address, text, ODD, address.id, self._around(address))

    def _bare_address(self, address: ast.expr) -> Iterator[Edit]:
        """``tl.load(x_ptr)`` where offsets were worked out."""
        if isinstance(address, ast.Name) and address.id in parameters(self.function):
            for other in self.names.alike(Role.INDEX, address):
                yield self._edit("missing-term", address, f"({address.id} + {other})", ODD, "", self._around(address))

    def _axes(self, node: ast.Subscript, first: ast.expr, second: ast.expr) -> Iterator[Edit]:
        """``[:, None]`` for ``[None, :]``."""
        if {type(first), type(second)} == {ast.Slice, ast.Constant} and isinstance(node.ctx, ast.Load):
            value = self.source.segment(node.value)
            other = "[None, :]" if isinstance(first, ast.Slice) else "[:, None]"
            yield self._edit("wrong-axis", node, f"{value}{other}", POSSIBLE, self.source.segment(node), node)

    def _bounds(self, call: ast.Call) -> Iterator[Edit]:
        step = self.source.segment(call.args[2]) if len(call.args) == 3 else "1"
        for bound in call.args[:2]:
            written = self.source.segment(bound)
            for change in dict.fromkeys((f"+ {step}", f"- {step}", "+ 1", "- 1")):
                text = f"(({written}) {change})"
                yield self._edit("loop-bound", bound, text, LIKELY, written, whole=call)
        if len(call.args) < 3:
            first, last = [self.source.segment(one) for one in call.args] if len(call.args) == 2 else ("0", "")
            last = last or self.source.segment(call.args[0])
            for constant in self.names.constants:
                text = f"{self.source.segment(call.func)}({first}, {last}, {constant})"
                yield self._edit("loop-bound", call, text, ODD, whole=call)

    def _missing(self, statement: ast.Assign | ast.Expr) -> Iterator[Edit]:
        """``y = x`` where ``bias``, which was loaded, goes into nothing; a sum or a cast that isn't there."""
        value: ast.expr = statement.value
        if isinstance(value, ast.Call) and last_name(value.func) == "store" and len(value.args) > 1:
            value = value.args[1]
            if isinstance(value, ast.Name) and value.id in self.names.reckoned:
                return  # it is missing where that name got its value
        elif isinstance(statement, ast.Expr):
            return
        if not self.names.holds_data(value):
            return
        own = self.source.segment(value)
        if isinstance(value, ast.Call) and last_name(value.func) == "load":
            yield self._edit("wrong-type", value, f"({own}).to(tl.float32)", LIKELY, "", value)
            return
        if isinstance(value, ast.Name):
            for reduction in ("sum", "max"):
                yield self._edit("missing-term", value, f"tl.{reduction}({own}, axis=0)", LIKELY, "", statement)
        if isinstance(value, ast.Call) and last_name(value.func) in _UNARY:
            value = value.args[0] if value.args else value
            own = self.source.segment(value)
        elif isinstance(value, ast.Call):
            return
        yield from self._joined(value, own)

    def _joined(self, value: ast.expr, own: str) -> Iterator[Edit]:
        """``value`` and another name, by each operator."""
        named = self.names.used_by(value)
        for other in self.names.alike(Role.DATA, value):
            unused = other in self.names.unused
            if other in named and not unused:
                continue
            shapes = (other, f"{other}[None, :]", f"{other}[:, None]") if unused else (other,)
            for shaped in shapes:
                for operator in ("+", "-", "*", "/"):
                    likely = ODD if unused else FAR_FETCHED
                    text = f"(({own}) {operator} {shaped})"
                    yield self._edit("missing-term", value, text, likely, other if unused else "", value)

    # ------------------------------------------------------------ helpers

    def _edit(
        self, kind: str, node: ast.AST, text: str, likely: int, part: str = "", whole: ast.AST | None = None
    ) -> Edit:
        quoted = " ".join(self.source.segment(whole or node).split())
        shown = quoted if len(quoted) <= LONGEST_SHOWN else quoted[: LONGEST_SHOWN - 1] + "…"
        return Edit(kind, node, shown, part, self.source.start(node), self.source.end(node), text, likely)

    def _sides(self, node: ast.BinOp) -> tuple[str, str]:
        return self.source.segment(node.left), self.source.segment(node.right)

    def _around(self, node: ast.AST) -> ast.AST:
        """The expression or statement that a reader would look at."""
        parent = self.parents.get(node)
        while isinstance(parent, (ast.Subscript, ast.UnaryOp, ast.keyword)):
            parent = self.parents.get(parent)
        return parent if isinstance(parent, (ast.expr, ast.stmt)) else node

    def _given_to(self, node: ast.AST) -> str:
        """The name that the statement around ``node`` gives a value to; a space where there is none."""
        parent = self.parents.get(node)
        while parent is not None and not isinstance(parent, ast.stmt):
            parent = self.parents.get(parent)
        named = isinstance(parent, ast.Assign) and isinstance(parent.targets[0], ast.Name)
        return parent.targets[0].id if named else " "  # type: ignore[union-attr]

    def _subscripted(self, node: ast.Name) -> ast.expr:
        parent = self.parents.get(node)
        return parent if isinstance(parent, ast.Subscript) and parent.value is node else node

    def _in_address(self, node: ast.AST) -> bool:
        """Whether ``node`` takes part in an address, or moves one."""
        parent = self.parents.get(node)
        while isinstance(parent, (ast.BinOp, ast.Subscript)):
            if self.names.is_address(parent):
                return True
            parent = self.parents.get(parent)
        return isinstance(parent, ast.AugAssign) and self.names.is_address(parent.target)

    def _is_stored(self, node: ast.Name) -> bool:
        parent = self.parents.get(node)
        return isinstance(parent, ast.Call) and last_name(parent.func) == "store" and node in parent.args[1:2]

    def _loop(self, node: ast.AST) -> ast.AST | None:
        """The innermost loop around ``node``."""
        parent = self.parents.get(node)
        while parent is not None and not isinstance(parent, (ast.For, ast.While)):
            parent = self.parents.get(parent)
        return parent

    def _is_fixed(self, node: ast.AST) -> bool:
        """Whether ``node`` stands among the arguments of a function that decides a shape or a type."""
        child, parent = node, self.parents.get(node)
        while parent is not None and not isinstance(parent, ast.stmt):
            if isinstance(parent, ast.Call) and last_name(parent.func) in _SHAPING and child is not parent.func:
                return last_name(parent.func) != "full" or child not in parent.args[1:2]
            child, parent = parent, self.parents.get(parent)
        return False
