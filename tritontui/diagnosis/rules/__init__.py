"""Every rule of recognition, in the order in which they are tried."""

from tritontui.diagnosis.rules import compiler, host, launch, machine, tuning, values

RULES = (*machine.RULES, *tuning.RULES, *launch.RULES, *compiler.RULES, *values.RULES, *host.RULES)
