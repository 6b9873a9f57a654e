"""Every rule of recognition, in the order in which they are tried."""

from tritontui.diagnosis.rules import compiler, host, launch, machine

RULES = (*machine.RULES, *launch.RULES, *compiler.RULES, *host.RULES)
