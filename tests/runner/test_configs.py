"""Every config that a tuner may choose is judged, in the case it is chosen for and in those that share its key."""

from __future__ import annotations

import pytest

from tests.runner.judging import Run, line_of
from tritontui.engine.messages import CaseDone
from tritontui.runner.session import Session

SPECIFICATION = """
import torch
from tritontui.runner.spec import Case, Exercise


def inputs(case, generator):
    return [torch.randn(case["rows"], case["columns"], generator=generator)]


EXERCISE = Exercise(
    entry="softmax",
    inputs=inputs,
    reference=lambda x: torch.softmax(x, dim=1),
    cases=[
        Case(f"{m} × {n}", {"rows": m, "columns": n}, seeds=(0,)) for m, n in ((2, 30), (2, 100), (5, 100), (2, 200))
    ],
    trace_case=Case("2 × 30", {"rows": 2, "columns": 30}),
)
"""

SOFTMAX = """import torch
import triton
import triton.language as tl


def fitting(configs, named_args, **kwargs):
    return [config for config in configs if config.kwargs["BLOCK"] >= named_args["columns"]]


@triton.autotune(
    [triton.Config({"BLOCK": size}, num_warps=warps) for size, warps in SPACE],
    key=["columns"],
    prune_configs_by={"early_config_prune": fitting},
)
@triton.jit
def softmax_kernel(x_ptr, out_ptr, rows, columns, BLOCK: tl.constexpr):
    column = tl.arange(0, BLOCK)
    mask = column < columns
    at = tl.program_id(0) * columns + column
    e = tl.exp(tl.load(x_ptr + at, mask=mask, other=-float("inf")))
    tl.store(out_ptr + at, e / tl.sum(e, axis=0), mask=mask)


def softmax(x):
    out = torch.empty_like(x)
    softmax_kernel[(x.shape[0],)](x, out, *x.shape)
    return out
"""
DECORATOR = line_of(SOFTMAX, "@triton.autotune")
SPACE = "((32, 1), (128, 1), (256, 1))"


@pytest.fixture(scope="module")
def session():
    return Session(device="cpu", target="sm_90")


@pytest.fixture
def judged(session, tmp_path):
    def judge(*changes, space=SPACE, stages=("trace", "legality", "cases")):
        source, specification = SOFTMAX.replace("SPACE", space), SPECIFICATION
        for old, new in changes:
            assert old in source + specification
            source, specification = source.replace(old, new), specification.replace(old, new)
        (tmp_path / "exercise.py").write_text(specification)
        return Run(session, tmp_path, source, stages)

    return judge


def found(done, identifier):
    (one,) = [finding for finding in done.findings if finding.id == identifier]
    return one


def failed(done):
    return [name for name, result in done.cases.items() if not result.passed]


def test_a_right_kernel_with_a_sound_space(judged):
    done = judged()
    assert (done.findings, failed(done)) == ([], [])


def test_a_config_that_is_wrong_and_not_the_first(judged):
    done = judged(('>= named_args["columns"]', '>= named_args["columns"] // 8'), space="((256, 1), (128, 1))")
    assert failed(done) == ["2 × 200"]
    wrong = done.errors["autotune-wrong-config"]
    assert (wrong.line, wrong.params["case"]) == (DECORATOR, "2 × 200")
    assert wrong.params["config"].startswith("BLOCK=128")
    assert (wrong.params["wrong"], wrong.params["total"]) == (400, 400)


def test_the_first_config_is_wrong_and_another_right(judged):
    done = judged(('>= named_args["columns"]', ">= 1"), space="((128, 1), (256, 1))")
    assert failed(done) == ["2 × 200"]
    assert done.errors["autotune-wrong-config"].params["config"].startswith("BLOCK=128")


def test_a_config_that_a_static_assertion_rules_out_is_never_chosen(judged):
    ruled_out = "    tl.static_assert(BLOCK >= 256)\n    column = tl.arange(0, BLOCK)\n"
    done = judged(('>= named_args["columns"]', ">= 1"), ("    column = tl.arange(0, BLOCK)\n", ruled_out))
    assert failed(done) == []
    assert not {"autotune-wrong-config", "autotune-key"} & {finding.id for finding in done.findings}


def test_where_every_config_is_wrong_the_kernel_is(judged):
    done = judged(("e / tl.sum(e, axis=0)", "e"))
    assert "value-mismatch" in done.errors
    assert "autotune-wrong-config" not in done.errors


def test_a_key_under_which_a_call_gets_what_was_chosen_for_another(judged):
    done = judged(('key=["columns"]', 'key=["rows"]'))
    key = done.errors["autotune-key"]
    assert (key.line, key.params["problem"], key.params["argument"]) == (DECORATOR, "kept", "columns")
    assert (key.params["case"], key.params["other_case"]) == ("2 × 100", "2 × 30")
    assert key.params["config"].startswith("BLOCK=32")
    assert failed(done) == ["2 × 100", "2 × 200"]


def test_an_earlier_case_that_gets_what_was_chosen_for_a_later_one(judged):
    done = judged(
        ('key=["columns"]', 'key=["rows"]'), ("((2, 30), (2, 100), (5, 100), (2, 200))", "((2, 100), (2, 30))")
    )
    assert failed(done) == ["2 × 100"]
    assert [(reply.result.name, reply.index) for reply in done.of(CaseDone)] == [
        ("2 × 100", 0),
        ("2 × 100", 0),
        ("2 × 30", 1),
    ]


def test_sizes_that_no_key_names_though_every_config_is_right(judged):
    done = judged(('key=["columns"]', "key=[]"), space="((256, 1), (256, 4))")
    key = found(done, "autotune-key")
    assert (key.severity, key.params["problem"], failed(done)) == ("warning", "missing", [])


def test_a_size_that_pruning_goes_by_though_every_config_is_right(judged):
    pruning = ('config.kwargs["BLOCK"] >= named_args["columns"]', 'config.num_warps * 25 < named_args["columns"]')
    done = judged(pruning, ('key=["columns"]', 'key=["rows"]'), space="((256, 1), (256, 2), (256, 4))")
    key = found(done, "autotune-key")
    assert (key.severity, key.params["problem"], key.params["argument"]) == ("warning", "missing", "columns")
    assert failed(done) == []


def test_a_tensor_in_the_key(judged):
    key = found(judged(('key=["columns"]', 'key=["x_ptr", "columns"]')), "autotune-key")
    assert (key.severity, key.params["problem"], key.params["argument"]) == ("warning", "tensor", "x_ptr")


def test_more_threads_than_a_program_may_have(judged):
    invalid = found(judged(space="((256, 64), (256, 4))"), "autotune-invalid-config")
    assert (invalid.severity, invalid.line) == ("note", DECORATOR)
    assert "num_warps=64" in invalid.params["config"]


def test_pruning_that_leaves_none(judged):
    done = judged(space="((32, 1), (128, 1))")
    assert done.errors["autotune-invalid-config"].params["problem"] == "none-left"
    assert failed(done) == ["2 × 200"]


def test_a_name_to_restore_that_is_no_argument_of_the_kernel(judged):
    """Triton 3.9 looks when it decorates; an earlier one, as here, only where it measures."""
    late = ("def softmax(x):", 'softmax_kernel.restore_value = ["x"]\n\n\ndef softmax(x):')
    done = judged(('key=["columns"],', 'key=["columns"], restore_value=[],'), late)
    wrong = done.errors["autotune-invalid-config"]
    assert (wrong.line, wrong.params["problem"], wrong.params["names"]) == (DECORATOR, "unknown", "x")
