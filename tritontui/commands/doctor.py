"""``tritontui doctor``: what works here, and what to do about what doesn't."""

from __future__ import annotations

from tritontui.commands.console import GOOD, UNUSABLE, Context
from tritontui.commands.engine import run, running
from tritontui.diagnosis.checks import say
from tritontui.engine.messages import Check

SCHEMA = 1


def doctor(context: Context, *, as_json: bool) -> int:
    checks = run(_probe(context))
    ok = all(check.ok for check in checks)
    if as_json:
        data = [
            {"id": check.id, "ok": check.ok, "detail": check.detail, "remedy": say(check, context.tr).remedy}
            for check in checks
        ]
        context.console.json({"schema": SCHEMA, "ok": ok, "checks": data})
    else:
        for check in checks:
            _print(context, check)
        if not any(check.id == "gpu" for check in checks):
            context.console.marked("note", context.tr("No GPU is used here: everything works except measuring."))
    return GOOD if ok else UNUSABLE


def _print(context: Context, check: Check) -> None:
    said = say(check, context.tr)
    context.console.marked("good" if check.ok else "error", said.title)
    if not check.ok:
        context.console.paragraph(said.remedy)
        context.console.verbatim(check.detail, indent=4)


async def _probe(context: Context) -> list[Check]:
    async with running(context.device) as engine:
        return await engine.probe()
