"""Failures of Python, of launches and of the machine, in the words of several versions: id, line, names, numbers."""

from __future__ import annotations

import pytest

from tritontui.diagnosis import Failure, Finding, Frame, entry, explain, recognise
from tritontui.diagnosis.reading import interpreter_set_late

SOURCE = """\
import torch
import triton
import triton.language as tl

SCALE = 3.0


@triton.jit
def kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offs, tl.load(x_ptr + offs), mask=offs < n)


def plain(x):
    return x


def run(x):
    out = torch.empty_like(x)
    kernel[triton.cdiv(x.numel(), 64)](x, out, x.numel(), BLOCK=64)
    kernel(x, out, x.numel(), BLOCK=64)
    plain[(4,)](x)
    grid = (tl.cdiv(x.numel(), 64),)
    kernel[grid](
        x,
        out,
        x.numel(),
        BLOK=64,
    )
    triton.testing.do_bench(run(x), percentiles=(0.5,))
    kernel[(x.numel() / 64,)](x, out, x.numel(), BLOCK=64)
    return otu
"""
LAUNCH, CALL, PLAIN, CDIV, KEYWORD, KEYWORD_VALUE, BENCH, RATIO, RETURN = 20, 21, 22, 23, 24, 28, 30, 31, 32


def failed(kind: str, message: str, line: int | None = None, **fields: object) -> Finding:
    return recognise(Failure(kind=kind, message=message, line=line, source=SOURCE, **fields))  # type: ignore[arg-type]


CASES = {
    "int-grid": (("TypeError", "object of type 'int' has no len()", LAUNCH), "grid-not-a-tuple", {"got": "int"}),
    "int-grid-subscripted": (
        ("TypeError", "'int' object is not subscriptable", LAUNCH),
        "grid-not-a-tuple",
        {"got": "int"},
    ),
    "list-grid": (
        ("TypeError", 'can only concatenate list (not "tuple") to list', LAUNCH),
        "grid-not-a-tuple",
        {"got": "list"},
    ),
    "float-in-grid": (
        ("TypeError", "'float' object cannot be interpreted as an integer", RATIO),
        "grid-not-a-tuple",
        {"inside": "float", "grid": "(x.numel() / 64,)"},
    ),
    "long-axis": (
        ("GridAxisTooLong", "grid axis 1 is 65536, over the limit of 65535", LAUNCH),
        "grid-axis-too-long",
        {"axis": 1, "length": 65536, "limit": 65535},
    ),
    "no-grid": (
        ("RuntimeError", "Cannot call @triton.jit'd outside of the scope of a kernel", CALL),
        "launch-without-grid",
        {"function": "kernel"},
    ),
    "no-grid-tuned": (
        ("TypeError", "'Autotuner' object is not callable", CALL),
        "launch-without-grid",
        {"function": "kernel"},
    ),
    "tl-on-host": (
        ("RuntimeError", "Cannot call @triton.jit'd outside of the scope of a kernel", CDIV),
        "kernel-function-on-host",
        {"function": "cdiv", "host": "triton.cdiv"},
    ),
    "no-jit": (("TypeError", "'function' object is not subscriptable", PLAIN), "jit-missing", {"function": "plain"}),
    "misspelt": (
        ("KeyError", "'Keyword argument BLOK was specified but unrecognised'", KEYWORD),
        "unknown-keyword",
        {"keyword": "BLOK", "suggestion": "BLOCK", "function": "kernel"},
    ),
    "missing": (
        ("TypeError", "dynamic_func() missing 2 required positional arguments: 'out_ptr' and 'n'", LAUNCH),
        "kernel-arguments",
        {"problem": "missing", "names": ["out_ptr", "n"], "function": "kernel"},
    ),
    "too-many": (
        ("TypeError", "dynamic_func() takes 4 positional arguments but 5 were given", LAUNCH),
        "kernel-arguments",
        {"problem": "too-many", "expected": 4, "got": 5},
    ),
    "twice": (
        ("TypeError", "dynamic_func() got multiple values for argument 'BLOCK'", LAUNCH),
        "kernel-arguments",
        {"problem": "twice", "names": ["BLOCK"]},
    ),
    "list-argument": (
        ("TypeError", "failed to specialize argument of type: list", LAUNCH),
        "kernel-arguments",
        {"problem": "type", "got": "list"},
    ),
    "list-argument-3.4": (
        ("TypeError", "Unsupported type: <class 'list'>", LAUNCH),
        "kernel-arguments",
        {"problem": "type", "got": "list"},
    ),
    "cpu-tensor": (
        ("ValueError", "Pointer argument cannot be accessed from Triton (cpu tensor?)", LAUNCH),
        "tensor-on-wrong-device",
        {"got": "cpu", "argument": ""},
    ),
    "cpu-tensor-3.4": (
        ("ValueError", "Pointer argument (at 1) cannot be accessed from Triton (cpu tensor?)", LAUNCH),
        "tensor-on-wrong-device",
        {"got": "cpu", "argument": "out_ptr"},
    ),
    "two-devices": (
        (
            "RuntimeError",
            "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!",
            LAUNCH,
        ),
        "tensor-on-wrong-device",
        {"got": "cpu", "expected": "cuda:0"},
    ),
    "no-driver": (("RuntimeError", "0 active drivers ([]). There should only be one.", LAUNCH), "no-gpu", {}),
    "no-compiler": (
        ("RuntimeError", "Failed to find C compiler. Please specify via CC environment variable.", LAUNCH),
        "no-c-compiler",
        {},
    ),
    "no-source": (
        ("ValueError", "@jit functions should be defined in a Python file", 8),
        "kernel-without-source",
        {},
    ),
    "no-source-3.4": (("OSError", "could not get source code", 8), "kernel-without-source", {}),
    "percentiles": (
        ("TypeError", "do_bench() got an unexpected keyword argument 'percentiles'", BENCH),
        "benchmark-misuse",
        {"problem": "keyword", "keyword": "percentiles"},
    ),
    "tuned-twice": (
        (
            "ValueError",
            "Conflicting meta-parameters: BLOCK. Make sure that you don't re-define auto-tuned symbols.",
            LAUNCH,
        ),
        "autotune-invalid-config",
        {"problem": "conflict", "names": "BLOCK"},
    ),
    "pruned-all": (
        (
            "AutotunerError",
            "Autotuner error: No valid autotuner configs after pruning. `early_config_prune` should…",
            LAUNCH,
        ),
        "autotune-invalid-config",
        {"problem": "none-left"},
    ),
    "key": (
        ("ValueError", "key contains names that are not kernel arguments: m. Valid argument names are: n, x.", 8),
        "autotune-key",
        {"names": "m", "problem": "unknown"},
    ),
    "restored": (
        ("ValueError", "restore_value contains names that are not kernel arguments: x. Valid argument names are: n", 8),
        "autotune-invalid-config",
        {"names": "x", "problem": "unknown", "parameter": "restore_value"},
    ),
    "no-config": (
        ("AttributeError", "'dict' object has no attribute 'all_kwargs'", LAUNCH),
        "autotune-invalid-config",
        {"problem": "not-config", "names": "dict"},
    ),
    "attribute-of-a-config": (
        ("AttributeError", "'Config' object has no attribute 'BLOCK'", 8),
        "autotune-invalid-config",
        {"problem": "attribute", "names": "BLOCK"},
    ),
    "warps": (("AssertionError", "num_warps must be a power of 2", LAUNCH), "launch-option", {"option": "num_warps"}),
    "shared": (
        (
            "OutOfResources",
            "out of resource: shared memory, Required: 524288, Hardware limit: 232448. Reducing block sizes…",
            LAUNCH,
        ),
        "shared-memory-exceeded",
        {"required": 524288, "limit": 232448},
    ),
    "threads": (
        ("OutOfResources", "out of resource: threads, Required: 2048, Hardware limit: 1024. Reducing…", LAUNCH),
        "resources-exceeded",
        {"resource": "threads", "required": 2048},
    ),
    "illegal": (
        (
            "AcceleratorError",
            "CUDA error: an illegal memory access was encountered\nCUDA kernel errors might be…",
            LAUNCH,
        ),
        "gpu-fault",
        {"fault": "illegal-address"},
    ),
    "misaligned": (
        ("AcceleratorError", "CUDA error: misaligned address", LAUNCH),
        "gpu-fault",
        {"fault": "misaligned-address"},
    ),
    "cuda-memory": (
        (
            "OutOfMemoryError",
            "CUDA out of memory. Tried to allocate 64.00 GiB. GPU 0 has a total capacity of 79.10 GiB "
            "of which 12.50 GiB is free.",
            19,
        ),
        "out-of-memory",
        {"requested": 64 * 2**30, "free": int(12.5 * 2**30)},
    ),
    "cpu-memory": (
        (
            "RuntimeError",
            "[enforce fail at alloc_cpu.cpp:121] err == 0. DefaultCPUAllocator: can't allocate memory: "
            "you tried to allocate 4000000000000 bytes. Error code 12 (Cannot allocate memory)",
            19,
        ),
        "out-of-memory",
        {"requested": 4_000_000_000_000, "device": "cpu"},
    ),
    "memory": (("MemoryError", "", 19), "out-of-memory", {"device": "cpu"}),
    "name": (
        ("NameError", "name 'otu' is not defined", RETURN),
        "name-error",
        {"name": "otu", "suggestion": "out", "inside": "host"},
    ),
    "unbound": (
        ("UnboundLocalError", "cannot access local variable 'out' where it is not associated with a value", RETURN),
        "name-error",
        {"name": "out"},
    ),
    "module-name": (
        ("AttributeError", "module 'triton' has no attribute 'cdvi'", LAUNCH),
        "name-error",
        {"owner": "triton", "name": "cdvi", "suggestion": "triton.cdiv"},
    ),
    "removed": (
        ("AttributeError", "module 'triton.language' has no attribute 'libdevice'", 10),
        "removed-api",
        {"name": "tl.libdevice"},
    ),
    "removed-module": (
        ("ModuleNotFoundError", "No module named 'triton.ops'", 1),
        "removed-api",
        {"name": "triton.ops"},
    ),
    "no-module": (
        ("ModuleNotFoundError", "No module named 'pandas'", 1),
        "module-missing",
        {"module": "pandas", "name": ""},
    ),
    "no-name": (
        ("ImportError", "cannot import name 'lang' from 'triton' (/x/triton/__init__.py)", 1),
        "module-missing",
        {"module": "triton", "name": "lang"},
    ),
    "waiting": (
        ("NoProgress", "7 programs wait in a loop and nothing changes any more", 10),
        "no-progress",
        {"waiting": 7},
    ),
    "budget": (("BudgetExceeded", "still running after 60 s", 10), "trace-budget", {"seconds": 60}),
    "asm": (("UnsupportedOperation", "inline assembly is not supported without a GPU", 10), "untraceable", {}),
    "division": (
        ("ZeroDivisionError", "integer division or modulo by zero", LAUNCH),
        "host-exception",
        {"kind": "ZeroDivisionError", "message": "integer division or modulo by zero"},
    ),
    "exit": (("SystemExit", "3", RETURN), "host-exception", {"kind": "SystemExit"}),
}


@pytest.mark.parametrize("name", CASES)
def test_recognised(name: str) -> None:
    (kind, message, line), identifier, params = CASES[name]
    finding = failed(kind, message, line)
    assert finding.id == identifier, finding
    assert finding.line == (KEYWORD_VALUE if name == "misspelt" else line)
    assert params.items() <= finding.params.items()
    assert set(finding.params) <= set(entry(identifier).params)
    assert finding.severity == entry(identifier).severity
    assert finding.original == f"{kind}: {message}"
    for language in ("en", "it"):
        assert all(explain(finding, language)[:3])


TUNER = """\
def few(configs):
    return configs[:1]


@triton.autotune(SPACE, key="cols", prune_configs_by={"early_config_prune": few})
@triton.jit
def kernel(x_ptr, cols): ...
"""


@pytest.mark.parametrize(
    "message, identifier, problem, line",
    [
        ("key contains names that are not kernel arguments: c, o, l, s. Valid…", "autotune-key", "string", 5),
        ("few() got an unexpected keyword argument 'grid'", "autotune-invalid-config", "pruning", 1),
        ("few() takes 1 positional argument but 2 were given", "autotune-invalid-config", "pruning", 1),
    ],
)
def test_a_tuners_arguments(message: str, identifier: str, problem: str, line: int) -> None:
    found = recognise(Failure(kind="ValueError", message=message, line=5, source=TUNER))
    assert (found.id, found.params["problem"], found.line) == (identifier, problem, line)


PRUNING = """\
SPACE = [triton.Config({"BLOCK": block}) for block in (64, 256)]


def few(configs, given, **kwargs):
    return [config for config in configs if config.kwargs["BLOCK"] >= ASKED]


@triton.autotune(SPACE, key=["cols"], prune_configs_by={"early_config_prune": few})
@triton.jit
def kernel(x_ptr, cols, BLOCK: tl.constexpr): ...


def run(x):
    kernel[(1,)](x, 8)
"""


@pytest.mark.parametrize(
    "asked, name, where",
    [
        ('kwargs["cols"]', "cols", "arguments"),
        ('given["BLOCK"]', "BLOCK", "configs"),
        ('given["colums"]', "colums", "nowhere"),
    ],
)
def test_what_a_pruning_function_is_not_handed(asked: str, name: str, where: str) -> None:
    source = PRUNING.replace("ASKED", asked)
    found = recognise(Failure(kind="KeyError", message=f"'{name}'", line=5, source=source))
    params = {"problem": "pruning-key", "names": "few", "argument": asked, "parameter": name, "where": where}
    assert (found.id, found.line) == ("autotune-invalid-config", 5)
    assert params.items() <= found.params.items()
    for language in ("en", "it"):
        said = explain(found, language)
        assert asked in said.title and all(said[:3])


@pytest.mark.parametrize(
    "lookup, identifier",
    [
        ("    kernel[lambda meta: (meta['BLOK'],)](x)", "grid-function"),
        ("    kernel[(1,)](x, best['BLOK'])", "host-exception"),
    ],
)
def test_a_missing_key_is_the_grids_only_where_the_grid_is_handed_it(lookup: str, identifier: str) -> None:
    source = f"def grid(meta): return (1,)\n\ndef run(x, best):\n{lookup}\n"
    assert recognise(Failure(kind="KeyError", message="'BLOK'", line=4, source=source)).id == identifier


def test_an_accumulator_is_no_operand_of_the_dot() -> None:
    found = failed("CompilationError", "expected accumulator dtype fp16, got fp32", 11)
    assert explain(found, "en").title == "`tl.dot` returns fp16, its accumulator is fp32"
    assert explain(found, "it").title == "`tl.dot` restituisce fp16, il suo accumulatore è fp32"


def test_a_length_of_the_host_code_is_no_grid() -> None:
    assert failed("TypeError", "object of type 'int' has no len()", 19).id == "host-exception"


def test_a_grid_without_source_is_told_by_where_it_broke() -> None:
    frames = [Frame("mine.py", 3, "run"), Frame("/site-packages/triton/runtime/jit.py", 700, "run")]
    finding = recognise(Failure(kind="TypeError", message="object of type 'int' has no len()", frames=frames, line=3))
    assert finding.id == "grid-not-a-tuple"


def test_the_root_cause_speaks_first() -> None:
    cause = Failure(kind="ValueError", message="`other` cannot be provided without `mask`")
    finding = failed("CompilationError", "at 3:8:\n    x\n    ^\n", 11, causes=[cause], stage="compile")
    assert (finding.id, finding.line) == ("other-without-mask", 11)
    assert finding.original is not None and "other" in finding.original and "at 3:8" in finding.original


def test_quoted_source_is_not_what_the_compiler_says() -> None:
    message = 'at 2:4:\n    x = "`other` cannot be provided without `mask`"\n    ^\nsome new complaint'
    finding = failed("CompilationError", message, 10, stage="compile")
    assert (finding.id, finding.params["message"]) == ("compile-error", "some new complaint")


def test_lines_come_from_the_compilers_log_when_the_exception_has_none() -> None:
    log = (
        "/tmp/x/kernel.py:11:5: error: 'scf.if' op operand #0 must be 1-bit signless integer, but got 'tensor<64xi1>'\n"
    )
    finding = failed("RuntimeError", "error encountered during parsing", stage="compile", log=log)
    assert (finding.id, finding.line) == ("block-truth-value", 11)
    assert finding.original is not None and "scf.if" in finding.original


def test_a_driver_refusal_that_the_grid_explains() -> None:
    finding = failed("RuntimeError", "Triton Error [CUDA]: invalid argument", LAUNCH, context={"grid": [1, 65536]})
    assert (finding.id, finding.params["axis"]) == ("grid-axis-too-long", 1)
    assert failed("RuntimeError", "Triton Error [CUDA]: invalid argument", LAUNCH).id == "host-exception"


def test_empty_tensors_explain_what_is_not_known_better() -> None:
    finding = failed("ZeroDivisionError", "division by zero", LAUNCH, context={"empty": True})
    assert finding.id == "empty-input"


def test_the_entry_called_with_other_arguments() -> None:
    finding = failed("TypeError", "run() takes 1 positional argument but 2 were given", None, context={"entry": "run"})
    assert (finding.id, finding.params["reason"]) == ("wrapper-contract", "arguments")


@pytest.mark.parametrize(
    ("source", "late"),
    [
        ('import triton\nimport os\nos.environ["TRITON_INTERPRET"] = "1"\n', (3, "TRITON_INTERPRET")),
        ('from triton import language\nos.environ.setdefault("TRITON_INTERPRET", "on")\n', (2, "TRITON_INTERPRET")),
        ("import triton\n\ntriton.knobs.runtime.interpret = True\n", (3, "triton.knobs.runtime.interpret")),
        ('os.environ["TRITON_INTERPRET"] = "1"\nimport triton\n', None),
        ('import triton\nos.environ["TRITON_INTERPRET"] = "0"\n', None),
        ('import triton\nlate = os.environ["TRITON_INTERPRET"] == "1"  # TRITON_INTERPRET = 1\n', None),
    ],
)
def test_the_interpreter_asked_for_after_the_import(source: str, late: tuple[int, str] | None) -> None:
    assert interpreter_set_late(source) == late


def test_syntax_errors_are_told_as_the_editor_tells_them() -> None:
    failure = Failure(kind="SyntaxError", message="expected ':' (kernel.py, line 1)", source="if x\n    pass\n", line=1)
    assert recognise(failure).params["problem"] == "missing-colon"
    elsewhere = Failure(
        kind="SyntaxError", message="'return' outside function (kernel.py, line 2)", source="x = 1\nreturn 3\n", line=2
    )
    finding = recognise(elsewhere)
    assert (finding.line, finding.params["python"]) == (2, "'return' outside function")


def test_an_assertion_of_the_host() -> None:
    source = "import torch\nassert torch.equal(a, b), 'values differ'\n"
    finding = recognise(Failure(kind="AssertionError", message="values differ", line=2, source=source))
    assert (finding.id, finding.params["condition"]) == ("host-exception", "torch.equal(a, b)")
    assert explain(finding, "en").message == "`torch.equal(a, b)` doesn't hold: “values differ”."


def test_an_assertion_of_the_kernel() -> None:
    source = "@triton.jit\ndef k(n):\n    tl.device_assert(n > 3, 'too few')\n"
    finding = recognise(Failure(kind="AssertionError", message="too few", line=3, source=source, stage="trace"))
    assert (finding.id, finding.params["message"]) == ("device-assert", "too few")


@pytest.mark.parametrize("source", ["", "def broken(:\n", "\0", "x = '\ud800'", "(" * 300])
def test_any_file_will_do(source: str) -> None:
    for kind, message, line in (case[0] for case in CASES.values()):
        assert recognise(Failure(kind=kind, message=message, line=line, source=source)).id


def test_nothing_to_go_by() -> None:
    assert recognise(Failure(kind="", message="")).id == "host-exception"
    assert recognise(Failure(kind="CompilationError", message="", stage="compile")).id == "compile-error"


def test_control_characters_of_an_error_do_nothing() -> None:
    finding = recognise(Failure(kind="ValueError", message="a\x1b[2J\nb\u202e"))
    assert finding.original == "ValueError: a\\x1b[2J\nb\\u202e"
    assert "\x1b" not in explain(finding, "en").message


def test_long_originals_are_kept_in_bounds() -> None:
    finding = recognise(Failure(kind="ValueError", message="x" * 100_000))
    assert finding.original is not None and len(finding.original) <= 6000


@pytest.mark.parametrize(
    "message",
    [
        "'constexpr_type' object has no attribute 'scalar'",  # 3.4, 3.6
        "'int' object has no attribute 'type'",
        "`_semantic` argument must be provided outside of JIT functions.",
    ],
)
def test_the_larger_of_a_number_and_a_block_whatever_triton_says_of_it(message: str) -> None:
    source = SOURCE.replace("    tl.store(", "    offs = tl.max(0, offs); tl.store(")
    finding = recognise(Failure(kind="AttributeError", message=message, line=11, source=source, stage="compile"))
    assert (finding.id, finding.line) == ("reduction-of-two", 11), finding
