"""What the contract asks of the host function, whatever the values: a result of the right kind, made by a kernel."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch

from tritontui.diagnosis.finding import Finding
from tritontui.diagnosis.reading import Reading, text
from tritontui.runner.cases.host import HostCall, storage_of, tensors_in
from tritontui.runner.spec import Exercise

_MADE_WRONG = ("shape", "dtype", "device")
"""Reasons that lie where the output is allocated, not where it is returned."""


@dataclass(frozen=True)
class Contract:
    """One exercise's contract on one submission; every check answers with a ``wrapper-contract`` finding or None."""

    entry: str
    kernel: str | None
    """The kernel that must have written the output; None: any."""
    source: str
    written: Sequence[int] = ()
    """Positions of the arguments that the host function fills and returns, in this order."""

    def check_result(self, result: Any, expected: Sequence[torch.Tensor], inputs: Sequence[Any]) -> Finding | None:
        """Kind, number, shape, dtype and device of what was returned; a returned input isn't a result."""
        if result is None:
            return self._launch_returned() or self._broken("returned-none")
        got = outputs_of(result)
        if got is None:
            return self._launch_returned() or self._broken(
                "not-a-tensor", expected="torch.Tensor", got=type(result).__name__
            )
        if len(got) != len(expected):
            return self._broken("output-count", expected=str(len(expected)), got=str(len(got)))
        for output, right in zip(got, expected, strict=True):
            problem = self._check_output(output, right, inputs)
            if problem is not None:
                return problem
        for output, position in zip(got, self.written, strict=False):
            if output.numel() and output.data_ptr() != inputs[position].data_ptr():
                return self._broken("not-the-argument", argument=self.argument(position))
        return None

    def _check_output(self, output: torch.Tensor, right: torch.Tensor, inputs: Sequence[Any]) -> Finding | None:
        if output.shape != right.shape:
            return self._broken("shape", expected=str(list(right.shape)), got=str(list(output.shape)))
        if output.dtype != right.dtype:
            return self._broken("dtype", expected=_short(right.dtype), got=_short(output.dtype))
        if output.device != right.device:
            return self._broken("device", expected=str(right.device), got=str(output.device))
        for position, value in enumerate(inputs):
            if position in self.written or not output.numel() or not isinstance(value, torch.Tensor):
                continue
            if storage_of(value) == storage_of(output):
                return self._broken("returned-input", argument=self.argument(position))
        return None

    def check_inputs(self, inputs: Sequence[Any], before: Sequence[Any]) -> Finding | None:
        """The inputs still hold what they held before the call, but for those that are to be written."""
        for position, (now, then) in enumerate(zip(inputs, before, strict=True)):
            if position not in self.written and isinstance(now, torch.Tensor) and not _same_bits(now, then):
                return self._broken("input-modified", argument=self.argument(position))
        return None

    def check_maker(
        self,
        outputs: Sequence[torch.Tensor],
        computed: Mapping[int, HostCall],
        launches: Sequence[tuple[str, Mapping[str, Any]]],
    ) -> Finding | None:
        """A kernel of the submission got each output as an argument, and torch computed neither it nor its inputs.

        ``launches``: name and arguments of each; ``computed``: what ``HostWatch`` saw.
        """
        if not any(output.numel() for output in outputs):
            return None
        if (missing := self._missing_kernel) is not None:
            return missing
        own = [arguments for name, arguments in launches if self.kernel in (None, name)]
        for output in outputs:
            if call := computed.get(storage_of(output)):
                return self._broken("not-by-kernel", line=call.line, call=call.name)
        if not own:
            return self._broken("no-launch")
        for arguments in own:
            for tensor in tensors_in(arguments):
                if call := computed.get(storage_of(tensor)):
                    return self._broken("host-copy", line=call.line, call=call.name)
        passed = {storage_of(tensor) for arguments in own for tensor in tensors_in(arguments)}
        if any(output.numel() and storage_of(output) not in passed for output in outputs):
            return self._broken("not-by-kernel")
        return None

    def broken_in_trial(self, params: Mapping[str, Any], line: int | None) -> Finding:
        """A trial found the contract broken; ``params``: its name (``trial``) and what it ``said``."""
        finding = self._broken("trial", line=line or self.definition_line())
        finding.params.update(params)
        return finding

    def definition_line(self) -> int | None:
        """The host function's ``def``."""
        function = self._function()
        return None if function is None else function.lineno

    # ------------------------------------------------------------

    def argument(self, position: int) -> str:
        """Name of the host function's parameter, ``""`` when it has none."""
        function = self._function()
        if function is None or position >= len(function.args.args):
            return ""
        return function.args.args[position].arg

    def _broken(self, reason: str, *, line: int | None = None, **params: str) -> Finding:
        known = {"argument": "", "expected": "", "got": "", "call": ""}
        return Finding(
            id="wrapper-contract",
            severity="error",
            line=line or (self._made_line() if reason in _MADE_WRONG else None) or self._return_line(),
            params={
                **known,
                **params,
                "reason": reason,
                "entry": self.entry,
                "kernel": self.kernel or "",
            },
        )

    def _launch_returned(self) -> Finding | None:
        """``out = kernel[grid](…)``, or returning that at once, is a fault of its own: a launch gives no result."""
        function = self._function()
        nodes = list(ast.walk(function)) if function is not None else []
        returned = {text(node.value) for node in nodes if isinstance(node, ast.Return)}
        for node in nodes:
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=ast.Subscript())) if name in returned:
                    return self._broken("launch-result", line=node.lineno, argument=name)
                case ast.Return(value=ast.Call(func=ast.Subscript())):
                    return self._broken("launch-result", line=node.lineno, argument="")
        return None

    @cached_property
    def _missing_kernel(self) -> Finding | None:
        """``kernel-missing``: the file defines none, or none of the name that must have written the output.

        Every case asks for it.
        """
        reading = Reading(self.source)
        functions = [kernel.name for kernel in reading.kernels()]
        if functions and (self.kernel is None or reading.defined(self.kernel) is not None):
            return None
        return Finding(
            id="kernel-missing",
            severity="error",
            line=self.definition_line(),
            params={"kernel": self.kernel or "", "functions": functions},
        )

    def _function(self) -> ast.FunctionDef | None:
        functions = (node for node in ast.parse(self.source).body if isinstance(node, ast.FunctionDef))
        return next((function for function in functions if function.name == self.entry), None)

    def _made_line(self) -> int | None:
        """Where the variable that the host function returns last got its value."""
        function = self._function()
        nodes = list(ast.walk(function)) if function is not None else []
        names = [node.value.id for node in nodes if isinstance(node, ast.Return) and isinstance(node.value, ast.Name)]
        made = [
            node.lineno
            for node in nodes
            if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id in names for t in node.targets)
        ]
        return max(made, default=None)

    def _return_line(self) -> int | None:
        """The last return of the host function, else its ``def``."""
        function = self._function()
        if function is None:
            return None
        returns = [node.lineno for node in ast.walk(function) if isinstance(node, ast.Return)]
        return max(returns, default=function.lineno)


def contract_of(exercise: Exercise, source: str) -> Contract:
    """What ``exercise`` asks of that submission's text."""
    return Contract(exercise.entry, exercise.kernel, source, exercise.written)


def outputs_of(result: Any) -> list[torch.Tensor] | None:
    """The tensors that a function returned, one or several; None when it returned anything else."""
    if isinstance(result, torch.Tensor):
        return [result]
    if isinstance(result, (tuple, list)) and result and all(isinstance(r, torch.Tensor) for r in result):
        return list(result)
    return None


def _same_bits(a: torch.Tensor, b: torch.Tensor) -> bool:
    if not a.is_floating_point():
        return bool(torch.equal(a, b))
    if a.dtype.itemsize == 1:
        return bool(torch.equal(a.view(torch.uint8), b.view(torch.uint8)))
    return bool(torch.equal(a, b)) or bool(torch.all((a == b) | (a.isnan() & b.isnan())))


def _short(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")
