"""``tritontui doctor``: what works here, and what to do about what doesn't."""

from __future__ import annotations

from tritontui.commands.console import GOOD, UNUSABLE, Context
from tritontui.commands.engine import run, running
from tritontui.diagnosis.checks import remedy, title
from tritontui.engine.messages import Check

SCHEMA = 1


def doctor(context: Context, *, as_json: bool) -> int:
    checks = run(_probe(context))
    ok = all(check.ok for check in checks)
    if as_json:
        data = [
            {"id": check.id, "ok": check.ok, "detail": check.detail, "remedy": remedy(check, context.tr)}
            for check in checks
        ]
        context.console.json({"schema": SCHEMA, "ok": ok, "checks": data})
        return GOOD if ok else UNUSABLE
    for check in checks:
        context.console.marked("good" if check.ok else "error", f"{title(check, context.tr)}: {check.detail}")
        if not check.ok and (advice := remedy(check, context.tr)):
            context.console.paragraph(advice)
    return GOOD if ok else UNUSABLE


async def _probe(context: Context) -> list[Check]:
    async with running(context.device) as engine:
        return await engine.probe()
