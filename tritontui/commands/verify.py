"""``tritontui verify``: every starter fails, every solution passes, every recorded fault gets its diagnosis."""

from __future__ import annotations

from dataclasses import asdict

from tritontui.commands.console import Context
from tritontui.commands.engine import run
from tritontui.commands.recorded import Expected, Item, try_all
from tritontui.commands.status import GOOD, WRONG
from tritontui.commands.trust import ask_to_run

SCHEMA = 1


def verify(context: Context, *, as_json: bool) -> int:
    course = context.course(thorough=True)
    ask_to_run(context)

    def tell(_: Expected, item: Item) -> None:
        if not as_json:
            print_item(context, item)

    items = [item for _, item in run(try_all(course, context.device, tell))]
    failed = [item for item in items if not item.ok]
    if as_json:
        passed = len(items) - len(failed)
        context.console.json(
            {"schema": SCHEMA, "passed": passed, "failed": len(failed), "items": [asdict(item) for item in items]}
        )
    else:
        context.console.line()
        text = context.tr.plural(
            "{right} of {n} is as expected",
            "{right} of {n} are as expected",
            len(items),
            right=len(items) - len(failed),
        )
        context.console.marked("error" if failed else "good", text)
    return WRONG if failed else GOOD


def print_item(context: Context, item: Item) -> None:
    """One line: what came, and what was expected where that is something else."""
    text = f"{item.exercise}/{item.submission}: {_at(context, item.got, item.got_line)}"
    if not item.ok:
        text += " · " + context.tr("expected: {what}", what=_at(context, item.expected, item.expected_line))
    context.console.marked("good" if item.ok else "error", text)


def _at(context: Context, what: str, line: int | None) -> str:
    return what if line is None else f"{what}, {context.tr('line {line}', line=line)}"
