"""Rules for launches: the grid, the arguments, the options, and timing."""

from __future__ import annotations

import ast
import re

from tritontui.diagnosis.finding import Finding
from tritontui.diagnosis.reading import first_name, last_name, parameters, text
from tritontui.diagnosis.scene import Rule, Scene, closest, simple

_GRID_LIMITS = (2**31 - 1, 65535, 65535)
"""Programs along each axis: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"."""
_LAUNCH_OPTIONS = ("num_warps", "num_stages", "num_ctas", "maxnreg")
_GRID_KINDS = ("int", "float", "tensor", "Tensor", "NoneType", "list", "str")


# ---------------------------------------------------------------- the grid


def _grid_not_a_tuple(scene: Scene, match: re.Match[str]) -> Finding | None:
    """Only where a launch stands on the line: Python says the same of many other things."""
    launch = scene.reading.launch(scene.line)
    if launch is None and not _below_triton(scene):
        return None
    found = match.groupdict()
    return scene.finding(
        "grid-not-a-tuple",
        got=found.get("got") or "list",
        inside="",
        grid=_grid_text(launch),
        grid_line=_grid_line(scene, launch),
    )


def _number_in_grid(scene: Scene, match: re.Match[str]) -> Finding | None:
    launch = scene.reading.launch(scene.line)
    if launch is None:
        return None
    return scene.finding(
        "grid-not-a-tuple",
        got="",
        inside=match["inside"],
        grid=_grid_text(launch),
        grid_line=_grid_line(scene, launch),
    )


def _grid_line(scene: Scene, launch: ast.Subscript | None) -> int:
    """Where the name that stands for the grid got its value, when that is another line; else 0."""
    if launch is None or not isinstance(launch.slice, ast.Name):
        return 0
    given = scene.reading.assignments(scene.reading.function(scene.line) or scene.reading.tree, launch.slice.id)
    lines = [one.lineno for one in given if one.lineno < (scene.line or 0)]
    return lines[-1] if lines else 0


def _grid_text(launch: ast.Subscript | None) -> str:
    return text(launch.slice) if launch is not None else ""


def _below_triton(scene: Scene) -> bool:
    frames = scene.failure.frames
    return bool(frames) and re.search(r"triton/runtime/|/lockstep/", frames[-1].file) is not None


def _grid_too_long(scene: Scene, _match: re.Match[str]) -> Finding | None:
    """A driver's refusal, when the grid of the moment explains it."""
    for axis, length in enumerate(scene.context.get("grid") or ()):
        if length > _GRID_LIMITS[min(axis, 2)]:
            return scene.finding("grid-axis-too-long", axis=axis, length=length, limit=_GRID_LIMITS[min(axis, 2)])
    return None


def _empty_grid(scene: Scene, _match: re.Match[str]) -> Finding | None:
    launch = scene.reading.launch(scene.line)
    if launch is None or text(launch.slice) != "()":
        return None
    return scene.finding("grid-axis-missing", axis=0, axes=0, grid="()")


def _grid_key(scene: Scene, match: re.Match[str]) -> Finding | None:
    """``meta["BLOK"]`` in a grid that is a function."""
    name = match["name"]
    handed = {parameter for grid in scene.reading.grids() for parameter in parameters(grid)}
    meta = next((text(asked) for asked in scene.reading.asked(scene.line, name) if text(asked) in handed), None)
    if meta is None:
        return None  # a dictionary of the learner's own, or one that Triton hands to another function
    kernels = [one for kernel in scene.reading.kernels() for one in parameters(kernel)]
    return scene.finding("grid-function", problem="key", name=name, meta=meta, suggestion=closest(name, kernels))


def _grid_without_meta(scene: Scene, _match: re.Match[str]) -> Finding | None:
    """``lambda: (4,)``"""
    if scene.reading.launch(scene.line) is None:
        return None
    return scene.finding("grid-function", problem="no-parameter", name="", meta="", suggestion="")


# ---------------------------------------------------------------- calling without launching


def _called_outside(scene: Scene, _match: re.Match[str]) -> Finding | None:
    """A function of kernels was called on the host: the learner's kernel, or one of ``tl``'s."""
    call = scene.reading.call(scene.line, scene.column)
    if call is None:
        return scene.finding("launch-without-grid", function="")
    if isinstance(call.func, ast.Attribute) and first_name(call.func) in ("tl", "triton"):
        name = last_name(call.func)
        return scene.finding("kernel-function-on-host", function=name, host=_HOST_TWINS.get(name, ""))
    kernels = {kernel.name for kernel in scene.reading.kernels()}
    called = [name for one in _calls(scene) for name in (last_name(one.func), first_name(one.func)) if name in kernels]
    return scene.finding("launch-without-grid", function=(called or [last_name(call.func)])[0])


_HOST_TWINS = {
    "cdiv": "triton.cdiv",
    "zeros": "torch.zeros",
    "full": "torch.full",
    "arange": "torch.arange",
    "sum": "torch.sum",
    "max": "torch.max",
    "exp": "torch.exp",
}


def _calls(scene: Scene) -> list[ast.Call]:
    return [node for node in scene.reading.at(scene.line, ast.Call) if isinstance(node, ast.Call)]


def _builtin_outside(scene: Scene, match: re.Match[str]) -> Finding | None:
    """``_semantic`` is missing where a builtin of ``tl`` is called by Python itself, not by the compiler."""
    if scene.in_kernel:
        return None
    return _called_outside(scene, match)


# ---------------------------------------------------------------- arguments


def _unknown_keyword(scene: Scene, match: re.Match[str]) -> Finding:
    keyword = match["keyword"]
    kernel = scene.reading.defined(str(scene.context.get("kernel") or "")) or _launched(scene)
    names = list(parameters(kernel)) if kernel else []
    function = kernel.name if kernel else ""
    return scene.finding(
        "unknown-keyword",
        at=_keyword_line(scene, keyword),
        function=function,
        keyword=keyword,
        suggestion=closest(keyword, [*names, *_LAUNCH_OPTIONS]),
    )


def _launched(scene: Scene) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    launch = scene.reading.launch(scene.line)
    return scene.reading.defined(last_name(launch.value)) if launch is not None else None


def _keyword_line(scene: Scene, keyword: str) -> int | None:
    """The line of ``keyword=…`` in a call that begins on the blamed line."""
    for call in _calls(scene):
        for argument in call.keywords:
            if argument.arg == keyword:
                return argument.value.lineno
    return None


def _unexpected_keyword(scene: Scene, match: re.Match[str]) -> Finding | None:
    """Functions of ``tl`` that are written in Triton themselves don't give their name."""
    keyword = match["keyword"]
    if keyword.startswith("_"):  # Triton's own, given to a function that isn't Triton's
        return _foreign(scene)
    function = (match["function"] or "").split(".")[-1]
    if not function:
        function = next((last_name(c.func) for c in _calls(scene) if keyword in [k.arg for k in c.keywords]), "")
    if not function:
        return None
    if function.startswith("do_bench"):
        return scene.finding("benchmark-misuse", problem="keyword", keyword=keyword)
    if function == scene.context.get("entry"):
        return scene.finding("wrapper-contract", reason="arguments", entry=function, got=match.string)
    known = scene.reading.defined(function)
    names = list(parameters(known)) if known else _TL_KEYWORDS.get(function, ())
    shown = f"tl.{function}" if scene.in_kernel and known is None else function
    return scene.finding("unknown-keyword", function=shown, keyword=keyword, suggestion=closest(keyword, names))


def _foreign(scene: Scene) -> Finding | None:
    """``torch.no_grad()`` in a kernel: the compiler calls what it finds as if it were its own."""
    call = next((call for call in _calls(scene) if first_name(call.func) not in ("tl", "triton", "")), None)
    if call is None or not scene.in_kernel:
        return None
    kind = "torch" if first_name(call.func) == "torch" else "module"
    return scene.finding("unsupported-function", function=text(call.func), kind=kind)


_TL_KEYWORDS = {
    "load": ("mask", "other", "cache_modifier", "eviction_policy"),
    "store": ("mask", "cache_modifier", "eviction_policy"),
    "sum": ("axis", "keep_dims", "dtype"),
    "max": ("axis", "keep_dims", "return_indices"),
    "min": ("axis", "keep_dims", "return_indices"),
    "zeros": ("shape", "dtype"),
    "full": ("shape", "value", "dtype"),
    "dot": ("acc", "input_precision", "allow_tf32", "out_dtype"),
    "program_id": ("axis",),
}


def _missing_arguments(scene: Scene, match: re.Match[str]) -> Finding | None:
    function = match["function"].split(".")[-1]
    names = re.findall(r"'(\w+)'", match["names"])
    if function == scene.context.get("entry"):
        return scene.finding("wrapper-contract", reason="arguments", entry=function, got=match.string)
    if (shown := _callee(scene, function)) is None:
        return None
    extreme = scene.reading.call(scene.line, None, "max", "min") if shown in ("tl.maximum", "tl.minimum") else None
    if extreme is not None and isinstance(extreme.func, ast.Name):  # Python's, which Triton 3.4 hands on
        return scene.finding("unsupported-function", function=extreme.func.id, kind="one-block")
    return scene.finding("kernel-arguments", problem="missing", function=shown, names=names)


def _too_many_arguments(scene: Scene, match: re.Match[str]) -> Finding | None:
    function = match["function"].split(".")[-1]
    if function == scene.context.get("entry"):
        return scene.finding("wrapper-contract", reason="arguments", entry=function, got=match.string)
    if (shown := _callee(scene, function)) is None:
        return None
    return scene.finding(
        "kernel-arguments", problem="too-many", function=shown, expected=int(match["expected"]), got=int(match["got"])
    )


def _argument_twice(scene: Scene, match: re.Match[str]) -> Finding | None:
    if (shown := _callee(scene, match["function"].split(".")[-1])) is None:
        return None
    if shown in ("tl.load", "tl.store") and match["name"] == "mask":
        call = scene.reading.call(scene.line, None, shown.removeprefix("tl."))
        second = text(call.args[1]) if call is not None and len(call.args) > 1 else ""
        return scene.finding("kernel-arguments", problem="split-address", function=shown, got=second)
    if shown.startswith("tl.") and match["name"].startswith("_"):  # what Triton itself adds after the learner's own
        call = scene.reading.call(scene.line, None, shown.removeprefix("tl."))
        got = len(call.args) if call is not None else None
        expected = got - 1 if got else None
        return scene.finding("kernel-arguments", problem="too-many", function=shown, expected=expected, got=got)
    return scene.finding("kernel-arguments", problem="twice", function=shown, names=[match["name"]])


def _bound(scene: Scene, match: re.Match[str]) -> Finding | None:
    """``inspect.Signature.bind`` says so of a launch, and of much else."""
    kernel = _launched(scene)
    if kernel is None:
        return None
    found = match.groupdict()
    for problem, key in (("missing", "missing"), ("twice", "twice")):
        if found.get(key):
            return scene.finding("kernel-arguments", problem=problem, function=kernel.name, names=[found[key]])
    passed = max((len(call.args) for call in _calls(scene) if isinstance(call.func, ast.Subscript)), default=0)
    expected = len(parameters(kernel))
    return scene.finding("kernel-arguments", problem="too-many", function=kernel.name, expected=expected, got=passed)


def _callee(scene: Scene, function: str) -> str | None:
    """How the learner calls it; None for a function of the host, where Python's own words are best."""
    if function == "dynamic_func":
        kernel = scene.context.get("kernel") or last_name(getattr(scene.reading.launch(scene.line), "value", None))
        return str(kernel or "")
    if function in {kernel.name for kernel in scene.reading.kernels()}:
        return function
    return f"tl.{function}" if scene.in_kernel else None


def _wrong_device(scene: Scene, match: re.Match[str]) -> Finding:
    found = match.groupdict()
    argument = found.get("name") or ""
    if (position := found.get("position")) is not None:
        kernel = scene.reading.defined(str(scene.context.get("kernel") or "")) or _launched(scene)
        names = list(parameters(kernel)) if kernel else []
        argument = names[int(position)] if int(position) < len(names) else position
    device = str(scene.context.get("device") or "")
    return scene.finding(
        "tensor-on-wrong-device",
        argument=argument,
        got=found.get("got") or "cpu",
        expected=found.get("expected") or ("" if device == "cpu" else device),
    )


def _warps(scene: Scene, match: re.Match[str]) -> Finding:
    option = match["option"]
    return scene.finding("launch-option", option=option, value=scene.context.get(option))


# ---------------------------------------------------------------- timing


def _benchmarked_value(scene: Scene, _match: re.Match[str]) -> Finding | None:
    if not any(frame.function.startswith("do_bench") for frame in scene.failure.frames):
        return None
    return scene.finding("benchmark-misuse", problem="not-callable")


RULES = (
    Rule(r"grid axis (?P<axis>\d+) is (?P<length>\d+), over the limit of (?P<limit>\d+)", simple("grid-axis-too-long")),
    Rule(r"Triton Error \[CUDA\]: invalid argument", _grid_too_long),
    Rule(r"object of type '(?P<got>\w+)' has no len\(\)", _grid_not_a_tuple, kinds=("TypeError",)),
    Rule(r"'(?P<got>int|float|NoneType|Tensor)' object is not (?:subscriptable|iterable)", _grid_not_a_tuple),
    Rule(r"can only concatenate (?P<got>list) \(not \"tuple\"\)", _grid_not_a_tuple),
    Rule(r"grid (?:must be|is not) a tuple.*?(?P<got>int|float|list|NoneType)", simple("grid-not-a-tuple")),
    Rule(r"'(?P<inside>\w+)' object cannot be interpreted as an integer", _number_in_grid, kinds=("TypeError",)),
    Rule(r"tuple index out of range", _empty_grid),
    Rule(r"^'(?P<name>\w+)'$", _grid_key, kinds=("KeyError",)),
    Rule(r"takes 0 positional arguments but 1 was given", _grid_without_meta, kinds=("TypeError",)),
    Rule(r"grid must have at most 3 dimensions, got (?P<axes>\d+)", simple("grid-axis-missing", axis="", grid="")),
    Rule(r"program_id axis must be 0, 1, or 2 but got (?P<axis>\d+)", simple("grid-axis-missing", axes="", grid="")),
    Rule(r"Cannot call @triton\.jit'd outside of the scope of a kernel", _called_outside),
    Rule(r"'(?:Autotuner|Heuristics)' object is not callable", _called_outside),
    Rule(r"'InterpreterBuilder' object has no attribute 'grid_idx'", _called_outside),
    Rule(r"'torch\.dtype' object has no attribute 'is_ptr'", _called_outside),
    Rule(r"run\(\) missing \d+ required keyword-only arguments?: 'grid'", _called_outside),
    Rule(r"Did you forget to add @triton\.jit", _builtin_outside),
    Rule(r"Keyword argument (?P<keyword>\w+) was specified but unrecognised", _unknown_keyword),
    Rule(
        r"(?:(?P<function>[\w.]{1,99})\(\) )?got an unexpected keyword argument '(?P<keyword>\w+)'", _unexpected_keyword
    ),
    Rule(r"(?P<function>[\w.]{1,99})\(\) missing \d+ required .*?arguments?: (?P<names>.+)", _missing_arguments),
    Rule(
        r"(?P<function>[\w.]{1,99})\(\) takes (?:from \d+ to )?(?P<expected>\d+) positional arguments? "
        r"but (?P<got>\d+)",
        _too_many_arguments,
    ),
    Rule(r"(?P<function>[\w.]{1,99})\(\) got multiple values for argument '(?P<name>\w+)'", _argument_twice),
    Rule(r"missing a required argument: '(?P<missing>\w+)'", _bound),
    Rule(r"multiple values for argument '(?P<twice>\w+)'", _bound),
    Rule(r"too many positional arguments", _bound),
    Rule(r"argument \w+: a kernel can't take an? (?P<got>\w+)", simple("kernel-arguments", problem="type")),
    Rule(
        r"failed to specialize argument of type: (?P<got>\w+)|Unsupported type: <class '(?:[\w.]+\.)?(?P<type>\w+)'>",
        lambda scene, match: scene.finding("kernel-arguments", problem="type", got=match["got"] or match["type"]),
    ),
    Rule(r"tensor (?P<name>\w+) lives on (?P<got>[\w:]+);", _wrong_device),
    Rule(r"Pointer argument(?: \(at (?P<position>\d+)\))? cannot be accessed from Triton", _wrong_device),
    Rule(
        r"Expected all tensors to be on the same device.*?devices?, (?P<expected>cuda(?::\d+)?) and (?P<got>[\w:]+)",
        _wrong_device,
    ),
    Rule(r"(?P<option>num_warps|num_ctas) must be a power of 2", _warps),
    Rule(r"Quantiles must be in the range", simple("benchmark-misuse", problem="quantiles")),
    Rule(r"object is not callable", _benchmarked_value, kinds=("TypeError",)),
    Rule(
        r"@jit functions should be defined in a Python file|could not get source code", simple("kernel-without-source")
    ),
)
