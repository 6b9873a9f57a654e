"""Rules for ``@triton.autotune``: its arguments, its configs, its pruning."""

from __future__ import annotations

import ast
import re

from tritontui.diagnosis.finding import Finding
from tritontui.diagnosis.reading import last_name, parameters, text
from tritontui.diagnosis.scene import Rule, Scene, simple


def _without(scene: Scene, match: re.Match[str]) -> Finding:
    """``@triton.autotune`` bare, or without its ``key``."""
    calls = scene.reading.at(scene.line, ast.Call)
    bare = "key" in match["names"] and not any(
        isinstance(call, ast.Call) and last_name(call.func) == "autotune" for call in calls
    )
    problem = "bare" if bare else "no-key" if "key" in match["names"] else "no-configs"
    return scene.finding("autotune-invalid-config", problem=problem, names="", config="")


def _set_twice(scene: Scene, match: re.Match[str]) -> Finding | None:
    """What a ``triton.Config`` sets and the launch passes too: with one config alone, Python says so."""
    name = match["name"]
    for call in ast.walk(scene.reading.tree):
        if isinstance(call, ast.Call) and last_name(call.func) == "Config" and name in text(call):
            return scene.finding("autotune-invalid-config", problem="conflict", names=name, config="")
    return None


def _unknown_names(scene: Scene, match: re.Match[str]) -> Finding:
    """``key="n_cols"`` is a list of letters to Python."""
    parameter, names = match["parameter"], match["names"]
    call, passed = _passed(scene, parameter, names)
    line = scene.line if call is None else call.lineno  # older Tritons find it only where the kernel is launched
    string = isinstance(passed, ast.Constant) and isinstance(passed.value, str)
    problem = "string" if string and all(len(name) == 1 for name in names.split(", ")) else "unknown"
    if parameter == "key":
        return scene.finding("autotune-key", line, problem=problem, names=names)
    return scene.finding("autotune-invalid-config", line, problem=problem, names=names, parameter=parameter, config="")


def _passed(scene: Scene, parameter: str, names: str) -> tuple[ast.Call | None, ast.expr | None]:
    """A tuner that passes ``parameter``, and what it passes: of several one whose value has these ``names``."""
    tuners = [
        (call, keyword.value)
        for call in ast.walk(scene.reading.tree)
        if isinstance(call, ast.Call) and last_name(call.func) == "autotune"
        for keyword in call.keywords
        if keyword.arg == parameter
    ]
    return max(tuners, key=lambda tuner: names.split(", ")[0] in text(tuner[1]), default=(None, None))


def _prunes(scene: Scene, function: str) -> bool:
    """Whether ``function`` is handed to a tuner as its ``early_config_prune``."""
    return any(
        isinstance(key, ast.Constant) and key.value == "early_config_prune" and last_name(value) == function
        for node in ast.walk(scene.reading.tree)
        if isinstance(node, ast.Dict)
        for key, value in zip(node.keys, node.values, strict=True)
    )


def _pruning_signature(scene: Scene, match: re.Match[str]) -> Finding | None:
    function = match["function"].rpartition(".")[2]
    if not _prunes(scene, function):
        return None
    node = scene.reading.defined(function)
    line = node.lineno if node is not None else None
    return scene.finding("autotune-invalid-config", line, problem="pruning", names=function, config="")


def _pruning_key(scene: Scene, match: re.Match[str]) -> Finding | None:
    """``kwargs["columns"]`` in a pruning function, which gets what a launch passes in two dictionaries."""
    function, name = scene.reading.function(scene.line), match["name"]
    plain_first = sorted(scene.reading.asked(scene.line, name), key=lambda one: not isinstance(one, ast.Name))
    asked = next(iter(plain_first), None)  # given["BLOCK"] rather than a config's own kwargs["BLOCK"] beside it
    if function is None or asked is None or not _prunes(scene, function.name):
        return None
    kernels = {one for kernel in scene.reading.kernels() for one in parameters(kernel)}
    return scene.finding(
        "autotune-invalid-config",
        problem="pruning-key",
        names=function.name,
        argument=f'{text(asked)}["{name}"]',
        parameter=name,
        where="configs" if _set_by_configs(scene, name) else "arguments" if name in kernels else "nowhere",
        config="",
    )


def _set_by_configs(scene: Scene, name: str) -> bool:
    """Whether a ``triton.Config`` gives the kernel's parameter ``name`` its value."""
    return any(
        isinstance(key, ast.Constant) and key.value == name
        for call in ast.walk(scene.reading.tree)
        if isinstance(call, ast.Call) and last_name(call.func) == "Config" and call.args
        for key in getattr(call.args[0], "keys", ())
    )


RULES = (
    Rule(r"autotune\(\) missing \d+ required positional arguments?: (?P<names>.+)", _without),
    Rule(r"Conflicting meta-parameters: (?P<names>[\w, ]+)", simple("autotune-invalid-config", problem="conflict")),
    Rule(r"multiple values for keyword argument '(?P<name>\w+)'", _set_twice),
    Rule(
        r"'function' object has no attribute 'arg_names'",
        simple("autotune-invalid-config", problem="order", names="", config=""),
    ),
    Rule(r"No valid autotuner configs", simple("autotune-invalid-config", problem="none-left")),
    Rule(
        r"(?P<parameter>key|reset_to_zero|restore_value) contains names that are not kernel arguments: "
        r"(?P<names>[\w, ]+)",
        _unknown_names,
    ),
    Rule(r"(?P<function>[\w.<>]{1,99})\(\) (?:got an unexpected keyword|takes \d+ positional)", _pruning_signature),
    Rule(r"^'(?P<name>\w+)'$", _pruning_key, kinds=("KeyError",)),
    Rule(
        r"'(?P<names>dict|tuple|list|int)' object has no attribute '(?:pre_hook|all_kwargs|kwargs|num_warps)'",
        simple("autotune-invalid-config", problem="not-config", config=""),
    ),
    Rule(
        r"'Config' object has no attribute '(?P<names>\w+)'",
        simple("autotune-invalid-config", problem="attribute", config=""),
    ),
)
