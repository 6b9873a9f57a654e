"""Rules for what Triton's compiler says of a kernel, from 3.4 on; the lockstep interpreter speaks likewise."""

from __future__ import annotations

from tritontui.diagnosis.rules.calls import CALL_RULES
from tritontui.diagnosis.rules.shapes import SHAPE_RULES
from tritontui.diagnosis.rules.statements import STATEMENT_RULES
from tritontui.diagnosis.rules.types import TYPE_RULES
from tritontui.diagnosis.scene import Rule, Scene, simple

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
    Rule(r"(?P<waiting>\d+) programs wait in a loop", simple("no-progress"), kinds=("NoProgress",)),
    *CALL_RULES,
    *STATEMENT_RULES,
    *SHAPE_RULES,
    *TYPE_RULES,
)


def _condition(scene: Scene) -> str:
    """The message that the learner's own assertion gives, else its condition."""
    from tritontui.diagnosis.reading import text

    call = scene.reading.call(scene.line, None, "static_assert")
    return "" if call is None or len(call.args) > 1 else text(call.args[0] if call.args else None)
