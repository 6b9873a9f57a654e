"""Rules for what Triton's compiler says of a kernel, from 3.4 on; the lockstep interpreter speaks likewise."""

from __future__ import annotations

import ast
import math
import re

from tritontui.diagnosis.finding import Finding
from tritontui.diagnosis.reading import last_name, text
from tritontui.diagnosis.rules.calls import CALL_RULES
from tritontui.diagnosis.rules.functions import FUNCTION_RULES
from tritontui.diagnosis.rules.indexing import INDEXING_RULES
from tritontui.diagnosis.rules.shapes import SHAPE_RULES
from tritontui.diagnosis.rules.statements import STATEMENT_RULES
from tritontui.diagnosis.rules.types import TYPE_RULES
from tritontui.diagnosis.scene import Rule, Scene, simple


def _waits(scene: Scene, match: re.Match[str]) -> Finding:
    """``waiting`` only where the loop asks memory whether to go on: else nobody could ever end it."""
    loop = next(iter(scene.reading.at(scene.line, ast.While)), None)
    condition = text(loop.test) if loop is not None else ""
    if loop is not None and not _asks_memory(loop):
        return scene.finding("no-progress", condition=condition)
    programs = math.prod(scene.context.get("grid") or ()) if scene.context.get("grid") else None
    return scene.finding("no-progress", waiting=int(match["waiting"]), programs=programs, condition=condition)


def _asks_memory(loop: ast.While) -> bool:
    """Whether memory decides if there is another round."""
    asked = {node.id for node in ast.walk(loop.test) if isinstance(node, ast.Name)}
    given = [node.value for node in ast.walk(loop) if isinstance(node, ast.Assign) and asked & _set(node)]
    calls = (node for one in (loop.test, *given) for node in ast.walk(one) if isinstance(node, ast.Call))
    return any(last_name(call.func) == "load" or last_name(call.func).startswith("atomic_") for call in calls)


def _set(statement: ast.Assign) -> set[str]:
    return {node.id for target in statement.targets for node in ast.walk(target) if isinstance(node, ast.Name)}


def _condition(scene: Scene) -> str:
    """The message that the learner's own assertion gives, else its condition."""
    call = scene.reading.call(scene.line, None, "static_assert")
    return "" if call is None or len(call.args) > 1 else text(call.args[0] if call.args else None)


RULES = (
    Rule(
        r"out of resource: shared memory, Required: (?P<required>\d+), Hardware limit: (?P<limit>\d+)",
        simple("shared-memory-exceeded"),
    ),
    Rule(
        r"out of resource: (?P<resource>[\w ]+), Required: (?P<required>\d+), Hardware limit: (?P<limit>\d+)",
        simple("resources-exceeded"),
    ),
    Rule(
        r"(?P<message>.*)",
        lambda scene, match: scene.finding("static-assert", message=_condition(scene) or match["message"]),
        kinds=("CompileTimeAssertionFailure",),
    ),
    Rule(r"(?P<waiting>\d+) programs wait in a loop", _waits, kinds=("NoProgress",)),
    *CALL_RULES,
    *STATEMENT_RULES,
    *INDEXING_RULES,
    *FUNCTION_RULES,
    *SHAPE_RULES,
    *TYPE_RULES,
)
