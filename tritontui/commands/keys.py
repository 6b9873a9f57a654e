"""``tritontui keys``: a key file to start from, and what is wrong in the learner's own."""

from __future__ import annotations

from tritontui.commands.console import Context
from tritontui.commands.status import GOOD, UNUSABLE, complain
from tritontui.keys.file import commented, read_keys


def keys(context: Context) -> int:
    for row in commented(context.paths.keys, context.tr):
        context.console.line(row)
    faults = read_keys(context.paths.keys).faults
    for fault in faults:
        complain(fault.said(context.paths.keys, context.tr))
    return UNUSABLE if faults else GOOD
