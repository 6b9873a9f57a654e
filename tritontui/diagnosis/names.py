"""What the names in a kernel stand for, read off its text: addresses, data, indices and masks, plain numbers."""

from __future__ import annotations

import ast
from enum import Enum
from functools import cached_property

from tritontui.diagnosis.reading import FunctionDef, last_name, parameters


class Role(Enum):
    POINTER = "an address"
    DATA = "what was loaded, and what comes of it"
    INDEX = "what comes of ids and ranges"
    MASK = "what a comparison gives"
    SCALAR = "a number that the launch passes"


class Names:
    """The names of one function. ``tensors``: parameters that are known to be pointers."""

    def __init__(self, function: FunctionDef, tensors: frozenset[str]) -> None:
        self.function = function
        self._roles: dict[str, Role] = {
            name: Role.POINTER if name in tensors or name.endswith(("_ptr", "_ptrs")) else Role.SCALAR
            for name in parameters(function)
        }
        self.constants = [name for name, constant in parameters(function).items() if constant]
        """Parameters that are ``tl.constexpr``."""
        self._first_set: dict[str, int] = dict.fromkeys(self._roles, function.lineno)
        for _ in range(2):  # a loop carries names round once
            for statement in self._statements:
                self._follow(statement)

    @cached_property
    def _statements(self) -> list[ast.stmt]:
        found = [node for node in ast.walk(self.function) if isinstance(node, ast.stmt) and node is not self.function]
        return sorted(found, key=lambda node: node.lineno)

    def role(self, name: str) -> Role | None:
        """None for what isn't a name of the function's own."""
        return self._roles.get(name)

    @cached_property
    def unused(self) -> list[str]:
        """Parameters and variables that nothing reads, constants apart."""
        read = {
            node.id
            for statement in self.function.body
            for node in ast.walk(statement)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
        }
        return [name for name in self._roles if name not in read and name not in self.constants]

    @cached_property
    def reckoned(self) -> set[str]:
        """Variables that get their value from arithmetic, not from a call alone."""
        return {
            target.id
            for statement in self._statements
            if isinstance(statement, ast.Assign) and not isinstance(statement.value, ast.Call)
            for target in statement.targets
            if isinstance(target, ast.Name)
        }

    def used_by(self, node: ast.AST) -> set[str]:
        return {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)}

    def set_before(self, name: str, node: ast.stmt) -> bool:
        """Whether ``name`` has a value ahead of ``node``."""
        return self._first_set.get(name, node.lineno) < node.lineno

    def set_in(self, loop: ast.For) -> set[str]:
        """Names that the loop's body gives a value to."""
        return {
            part.id
            for statement in loop.body
            for part in ast.walk(statement)
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
        }

    def alike(self, role: Role, node: ast.AST) -> list[str]:
        """Other names of that role that have a value at ``node``, unused ones first, then the newest."""
        own = getattr(node, "id", "")
        line = getattr(node, "lineno", 0)
        found = [
            name
            for name, one in self._roles.items()
            if one is role and name != own and name not in self.constants and self._first_set.get(name, line) < line
        ]
        return sorted(found, key=lambda name: (name not in self.unused, -self._first_set.get(name, 0)))

    def holds_data(self, node: ast.AST) -> bool:
        """Whether values that were loaded, or sums of them, take part in ``node``."""
        return any(self.role(name) is Role.DATA for name in self.used_by(node)) or _loads(node)

    def is_address(self, node: ast.AST) -> bool:
        """Whether ``node`` comes to an address."""
        if isinstance(node, ast.Name):
            return self.role(node.id) is Role.POINTER
        if isinstance(node, ast.BinOp):
            return self.is_address(node.left) or self.is_address(node.right)
        return False

    def _follow(self, statement: ast.stmt) -> None:
        if isinstance(statement, ast.Assign):
            targets, value = statement.targets, statement.value
        elif isinstance(statement, (ast.AugAssign, ast.AnnAssign)) and statement.value is not None:
            targets, value = [statement.target], statement.value
        elif isinstance(statement, ast.For):
            targets, value = [statement.target], statement.iter
        else:
            return
        role = self._role_of(value)
        for target in targets:
            for part in ast.walk(target):
                if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                    self._first_set.setdefault(part.id, statement.lineno)
                    if isinstance(statement, ast.Assign) or part.id not in self._roles or role is Role.DATA:
                        self._set(part.id, role)

    def _set(self, name: str, role: Role) -> None:
        if self._roles.get(name) is not Role.DATA:  # an accumulator begins as zeros, and takes data in
            self._roles[name] = role

    def _role_of(self, value: ast.expr) -> Role:
        if self.is_address(value):
            return Role.POINTER
        if self.holds_data(value) or (isinstance(value, ast.Call) and last_name(value.func) in ("zeros", "full")):
            return Role.DATA
        return Role.MASK if self.is_mask(value) else Role.INDEX

    def is_mask(self, value: ast.expr) -> bool:
        """Whether ``value`` is a condition, or several joined."""
        if isinstance(value, ast.BinOp):
            return self.is_mask(value.left) and self.is_mask(value.right)
        if isinstance(value, (ast.Subscript, ast.UnaryOp)):
            return self.is_mask(value.value if isinstance(value, ast.Subscript) else value.operand)
        return isinstance(value, (ast.Compare, ast.BoolOp)) or (
            isinstance(value, ast.Name) and self.role(value.id) is Role.MASK
        )


def _loads(node: ast.AST) -> bool:
    return any(
        isinstance(part, ast.Call) and last_name(part.func) in ("load", "dot", "rand", "randn")
        for part in ast.walk(node)
    )
