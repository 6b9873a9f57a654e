"""Writes random kernels without hazards between programs: every program stores into a region of its own.

What is avoided, because Triton's own interpreter differs from the compiler there (and from us): Python numbers where
their weak type would show, loop counters in narrow types, conversions of floats that no integer can hold.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

LANES = 16
SLOT = 64
SLOTS = 24
PROGRAMS = 4
FLOATS = ("float32", "float16")
INTEGERS = ("int32", "int64", "int16")
OUTPUT_OF = {name: f"o_{name}" for name in (*FLOATS, *INTEGERS)}
HEADER = """# written by generator.py
import torch
import triton
import triton.language as tl
from cases import Registry, randint
from generator import PROGRAMS, SLOT, SLOTS

GENERATED = Registry()


@triton.jit
def pick(p, a, b):
    if p % 2 == 0:
        return a
    return a - b


@triton.jit
def larger(a, b):
    if a > b:
        return a
    else:
        return b


def inputs():
    x = randint(-16, 17, 4, 64).to(torch.float32) / 8
    i = randint(-50, 51, 4, 64, seed=1)
    dtypes = (torch.float32, torch.float16, torch.int32, torch.int64, torch.int16)
    outs = [torch.zeros(PROGRAMS, SLOTS, SLOT, dtype=dtype) for dtype in dtypes]
    return x, i, outs, torch.zeros(8, dtype=torch.int32)


def run(kernel, grid):
    x, i, outs, counts = inputs()
    kernel[grid](x, i, *outs, counts, 50)
    return [*outs, counts]

"""


@dataclass(frozen=True)
class Variable:
    name: str
    dtype: str
    shape: str
    """``scalar``, ``row`` (LANES), or ``tile`` (4 × LANES)."""


@dataclass
class Writer:
    """One kernel."""

    random: Random
    lines: list[str] = field(default_factory=list)
    scope: list[Variable] = field(default_factory=list)
    fixed: set[str] = field(default_factory=set)
    """Variables that nothing assigns any more (loop counters)."""
    names: int = 0
    slots: int = 0

    def kernel(self, name: str) -> str:
        self.lines = [
            "@triton.jit",
            f"def {name}(x, i, o_float32, o_float16, o_int32, o_int64, o_int16, counts, n):",
            "    p = tl.program_id(0) * tl.num_programs(1) + tl.program_id(1)",
            f"    row = tl.arange(0, {LANES})",
            "    four = tl.arange(0, 4)",
            f"    tile = four[:, None] * {LANES} + row[None, :]",
        ]
        self.scope = [
            Variable("p", "int32", "scalar"),
            Variable("row", "int32", "row"),
            Variable("tile", "int32", "tile"),
        ]
        self.fixed = {"p", "row", "tile"}
        for kind in ("scalar", "row", "tile"):
            self.new_variable(1, kind, load=True)
        self.block(1, depth=2, statements=self.random.randint(5, 9))
        for variable in [one for one in self.scope if one.name not in self.fixed][-4:]:
            self.store(1, variable)
        return "\n".join(self.lines)

    # ------------------------------------------------------------ statements

    def block(self, indent: int, depth: int, statements: int) -> None:
        for _ in range(statements):
            kinds = ["update", "update", "new", "store", "atomic"]
            if depth:
                kinds += ["if", "if", "for", "while", "ternary"]
            if indent == 1:
                kinds.append("return")
            getattr(self, f"a_{self.random.choice(kinds)}")(indent, depth)

    def a_new(self, indent: int, _depth: int) -> None:
        self.new_variable(indent, self.random.choice(("scalar", "row", "tile")), load=self.random.random() < 0.4)

    def new_variable(self, indent: int, shape: str, load: bool) -> Variable:
        dtype = self.random.choice((*FLOATS, *INTEGERS))
        self.names += 1
        name = f"v{self.names}"
        value = self.load(dtype, shape) if load else self.expression(dtype, shape, 2)
        self.write(indent, f"{name} = {value}")
        variable = Variable(name, dtype, shape)
        self.scope.append(variable)
        return variable

    def a_update(self, indent: int, _depth: int) -> None:
        open_ = [one for one in self.scope if one.name not in self.fixed]
        if open_:
            variable = self.random.choice(open_)
            self.write(indent, f"{variable.name} = {self.expression(variable.dtype, variable.shape, 2)}")

    def a_store(self, indent: int, _depth: int) -> None:
        self.store(indent, self.random.choice(self.scope))

    def store(self, indent: int, variable: Variable) -> None:
        if self.slots >= SLOTS:
            return
        offset = {"scalar": "0", "row": "row", "tile": "tile"}[variable.shape]
        base = f"{OUTPUT_OF[variable.dtype]} + p * {SLOTS * SLOT} + {self.slots * SLOT}"
        mask = f", mask={self.condition(variable.shape)}" if self.random.random() < 0.4 else ""
        self.slots += 1
        self.write(indent, f"tl.store({base} + {offset}, {variable.name}{mask})")

    def a_atomic(self, indent: int, _depth: int) -> None:
        where = self.integer("scalar")
        self.write(indent, f"tl.atomic_add(counts + (({where}) & 7), {self.random.randint(1, 3)})")

    def a_ternary(self, indent: int, _depth: int) -> None:
        scalars = [one for one in self.scope if one.shape == "scalar" and one.name not in self.fixed]
        if scalars:
            target = self.random.choice(scalars)
            a, b = (self.expression(target.dtype, "scalar", 1) for _ in range(2))
            self.write(indent, f"{target.name} = ({a}) if {self.condition('scalar')} else ({b})")

    def a_return(self, indent: int, _depth: int) -> None:
        if self.random.random() < 0.3:
            self.write(indent, f"if p % {self.random.randint(3, 7)} == {self.random.randint(0, 2)}:")
            self.a_store(indent + 1, 0)
            self.write(indent + 1, "return")

    def a_if(self, indent: int, depth: int) -> None:
        self.write(indent, f"if {self.condition('scalar')}:")
        self.nested(indent + 1, depth)
        if self.random.random() < 0.3:
            self.write(indent, f"elif {self.condition('scalar')}:")
            self.nested(indent + 1, depth)
        if self.random.random() < 0.5:
            self.write(indent, "else:")
            self.nested(indent + 1, depth)

    def a_for(self, indent: int, depth: int) -> None:
        self.names += 1
        counter = f"j{self.names}"
        bound = self.random.choice(("3", "p", "p % 4", f"({self.integer('scalar')}) & 3"))
        header = self.random.choice(
            (
                f"range({bound})",
                f"range(1, {bound})",
                f"tl.range(0, {bound}, 2)",
                f"range(p, 6, {self.random.randint(1, 3)})",
                f"tl.static_range({self.random.randint(1, 3)})",
            )
        )
        self.write(indent, f"for {counter} in {header}:")
        self.nested(indent + 1, depth)

    def a_while(self, indent: int, depth: int) -> None:
        self.names += 1
        counter = f"w{self.names}"
        self.write(indent, f"{counter} = ({self.integer('scalar')}) & 3")
        self.write(indent, f"while {counter} > 0:")
        self.scope.append(Variable(counter, "int32", "scalar"))
        self.fixed.add(counter)
        self.nested(indent + 1, depth)
        self.write(indent + 1, f"{counter} = {counter} - 1")

    def nested(self, indent: int, depth: int) -> None:
        """Variables born inside are forgotten after: the compiler would not know them."""
        before = len(self.lines)
        scope = list(self.scope)
        self.block(indent, depth - 1, self.random.randint(1, 3))
        self.scope = scope
        if len(self.lines) == before:
            self.write(indent, "pass")

    def write(self, indent: int, text: str) -> None:
        self.lines.append("    " * indent + text)

    # ------------------------------------------------------------ expressions

    def expression(self, dtype: str, shape: str, depth: int) -> str:
        """A value of that dtype and shape."""
        source = self.random.choice((dtype, dtype, *FLOATS, *INTEGERS))
        value = self.raw(source, shape, depth)
        return value if source == dtype else self.cast(value, source, dtype)

    def cast(self, value: str, source: str, dtype: str) -> str:
        if source in FLOATS and dtype in INTEGERS:
            value = f"tl.where(tl.abs({value}) < 100.0, {value}, 1.0)"
        return f"({value}).to(tl.{dtype})"

    def raw(self, dtype: str, shape: str, depth: int) -> str:
        if depth == 0 or self.random.random() < 0.15:
            return self.leaf(dtype, shape)
        operand = lambda: self.expression(dtype, self.narrower(shape), depth - 1)  # noqa: E731
        a = self.expression(dtype, shape, depth - 1)
        kinds = ["binary", "binary", "select", "extremum", "negate", "masked", "function"]
        kinds += {"scalar": ["reduce"], "row": ["reduce", "scan"], "tile": ["move", "scan"]}[shape]
        kind = self.random.choice(kinds)
        made = {
            "binary": lambda: self.binary(dtype, a, operand()),
            "select": lambda: f"tl.where({self.condition(shape)}, {a}, {operand()})",
            "extremum": lambda: f"tl.{self.random.choice(('maximum', 'minimum'))}({a}, {operand()})",
            "negate": lambda: f"-({a})",
            "masked": lambda: self.load(dtype, shape),
            "function": lambda: f"pick(p, {a}, {self.expression(dtype, shape, 0)})",
            "reduce": lambda: self.reduced(dtype, shape, depth),
            "scan": lambda: self.scanned(dtype, shape, a),
            "move": lambda: self.moved(a),
        }[kind]()
        return self.cast_back(made, dtype)

    def cast_back(self, value: str, dtype: str) -> str:
        return f"({value}).to(tl.{dtype})"

    def narrower(self, shape: str) -> str:
        return self.random.choice(
            {"scalar": ["scalar"], "row": ["row", "scalar"], "tile": ["tile", "tile", "scalar"]}[shape]
        )

    def binary(self, dtype: str, a: str, b: str) -> str:
        if dtype in FLOATS:
            operator = self.random.choice(("+", "-", "*", "/"))
            return f"({a}) {operator} ({b})"
        operator = self.random.choice(("+", "-", "*", "&", "|", "^", "//", "%", "<<", ">>"))
        if operator in ("//", "%"):
            b = f"((({b}) & 7) + 1)"
        if operator in ("<<", ">>"):
            b = f"(({b}) & 3)"
        return f"({a}) {operator} ({b})"

    def reduced(self, dtype: str, shape: str, depth: int) -> str:
        kind = self.random.choice(("max", "min", "sum", "custom", "arg"))
        if shape == "scalar":
            inner, axis = self.expression(dtype, "row", depth - 1), 0
        else:
            inner, axis = self.expression(dtype, "tile", depth - 1), 0
        if kind == "custom":
            return f"tl.reduce({inner}, {axis}, larger)" if dtype in INTEGERS else f"tl.max({inner}, axis={axis})"
        if kind == "arg":
            return f"tl.argmax({inner}, axis={axis})" if dtype in INTEGERS else f"tl.min({inner}, axis={axis})"
        if kind == "sum" and dtype in FLOATS:
            kind = "max"
        return f"tl.{kind}({inner}, axis={axis})"

    def scanned(self, dtype: str, shape: str, a: str) -> str:
        axis = 0 if shape == "row" else self.random.choice((0, 1))
        if dtype in FLOATS:
            return f"tl.abs({a})"
        kind = self.random.choice(("cumsum", "associative_scan"))
        reverse = self.random.choice(("True", "False"))
        combine = ", larger" if kind == "associative_scan" else ""
        return f"tl.{kind}({a}, {axis}{combine}, reverse={reverse})"

    def moved(self, a: str) -> str:
        return self.random.choice(
            (
                f"tl.trans(tl.reshape({a}, ({LANES}, 4)))",
                f"tl.reshape(tl.trans({a}), (4, {LANES}))",
                f"tl.flip({a}, 1)",
                f"tl.broadcast_to(tl.max({a}, axis=0, keep_dims=True), (4, {LANES}))",
            )
        )

    def leaf(self, dtype: str, shape: str) -> str:
        fitting = [one for one in self.scope if one.shape == shape and one.dtype == dtype]
        if fitting and self.random.random() < 0.8:
            return self.random.choice(fitting).name
        fitting = [one for one in self.scope if one.shape == shape]
        chosen = self.random.choice(fitting)
        return self.cast(chosen.name, chosen.dtype, dtype)

    def load(self, dtype: str, shape: str) -> str:
        source = "x" if dtype in FLOATS else "i"
        index = f"(({self.integer(shape)}) & 255)"
        if self.random.random() < 0.5:
            loaded = f"tl.load({source} + {index})"
        else:
            other = "0.5" if source == "x" else "7"
            loaded = f"tl.load({source} + {index}, mask={self.condition(shape)}, other={other})"
        return f"{loaded}.to(tl.{dtype})"

    def integer(self, shape: str) -> str:
        """An int32 expression without loads in it."""
        fitting = [one for one in self.scope if one.shape == shape and one.dtype == "int32"]
        a = self.random.choice(fitting).name
        b = self.random.choice([one.name for one in self.scope if one.shape == "scalar" and one.dtype == "int32"])
        return f"{a} * {self.random.randint(1, 5)} + {b} + {self.random.randint(0, 9)}"

    def condition(self, shape: str) -> str:
        def one() -> str:
            a = self.integer(shape) if self.random.random() < 0.6 else self.leaf(self.random.choice(INTEGERS), shape)
            test = self.random.choice(("<", "<=", ">", ">=", "==", "!="))
            bound = self.random.choice(("n", "p", "p * 3", str(self.random.randint(-3, 40))))
            return f"(({a}) {test} {bound})"

        if self.random.random() < 0.3:
            return f"({one()} {self.random.choice('&|^')} {one()})"
        if shape == "scalar" and self.random.random() < 0.3:
            return f"({one()} {self.random.choice(('and', 'or'))} {one()})"
        return one()


def module_of(seeds: list[int]) -> str:
    """Source of a module that registers one case per seed."""
    parts = [HEADER]
    for seed in seeds:
        random = Random(seed)
        grid = random.choice([f"({PROGRAMS},)", f"({PROGRAMS // 2}, 2)"])
        parts.append(Writer(random).kernel(f"kernel_{seed}"))
        parts.append(f"\n\n@GENERATED.add()\ndef case_{seed}():\n    return run(kernel_{seed}, {grid})\n\n")
    return "\n".join(parts)
