"""What the text alone says of a launched kernel."""

from __future__ import annotations

import pytest

from tritontui.diagnosis.review import exchanged_arguments, returned_values, stored_masks

KERNEL = """\
@triton.jit
def kernel(x_ptr, out_ptr, M, N, stride_m, stride_n, BLOCK: tl.constexpr):
    {body}


def host(x, out, M, N):
    kernel[(4,)]({arguments}, BLOCK=16)
"""
RIGHT = "x, out, M, N, x.stride(0), x.stride(1)"


def source(body: str = "pass", arguments: str = RIGHT) -> str:
    return KERNEL.format(body=body, arguments=arguments)


@pytest.mark.parametrize(
    ("arguments", "first", "second"),
    [
        ("out, x, M, N, x.stride(0), x.stride(1)", "out", "x"),
        ("x, out, N, M, x.stride(0), x.stride(1)", "N", "M"),
        ("x, out, M, N, x.stride(1), x.stride(0)", "x.stride(1)", "x.stride(0)"),
    ],
)
def test_arguments_that_changed_places(arguments: str, first: str, second: str) -> None:
    (finding,) = exchanged_arguments(source(arguments=arguments), ["kernel"])
    assert (finding.line, finding.params["first"], finding.params["second"]) == (7, first, second)


PRODUCT = """
@triton.jit
def kernel(a_ptr, b_ptr, c_ptr, K, stride_am, stride_ak, stride_bk, stride_bn, B: tl.constexpr):
    pass

def product(x, w, c):
    kernel[(1,)]({arguments}, B=16)
"""


@pytest.mark.parametrize(
    ("given", "first", "second"),
    [
        ("*w.stride(), *x.stride()", "*w.stride()", "*x.stride()"),
        ("w.stride(0), w.stride(1), x.stride(0), x.stride(1)", "w.stride(0)", "x.stride(0)"),
    ],
)
def test_strides_of_another_tensor(given: str, first: str, second: str) -> None:
    """A tensor's name in the host function may be another than its pointer's in the kernel."""
    (finding,) = exchanged_arguments(PRODUCT.format(arguments=f"x, w, c, 8, {given}"), ["kernel"])
    assert (finding.line, finding.params["first"], finding.params["second"]) == (7, first, second)
    assert (finding.params["first_parameter"], finding.params["second_parameter"]) == ("stride_am", "stride_bk")


@pytest.mark.parametrize(
    "given",
    [
        "*x.stride(), *w.stride()",
        "x.stride(0), x.stride(1), w.stride(0), w.stride(1)",
        "*w.stride()",
        "*c.stride(), *x.stride()",
        "1, 2, 3, 4",
    ],
)
def test_strides_that_may_be_as_they_are_meant(given: str) -> None:
    assert exchanged_arguments(PRODUCT.format(arguments=f"x, w, c, 8, {given}"), ["kernel"]) == []


@pytest.mark.parametrize("arguments", [RIGHT, "a, b, 3, 4, 5, 6", "x, x, M, M, 1, 1", "*everything", "x"])
def test_other_arguments_are_let_be(arguments: str) -> None:
    assert exchanged_arguments(source(arguments=arguments), ["kernel"]) == []


def test_only_launched_kernels_count() -> None:
    text = source(body="return x_ptr", arguments="out, x, M, N, 1, 1")
    assert exchanged_arguments(text, ["other"]) == []
    assert returned_values(text, ["other"]) == []


def test_a_returned_value() -> None:
    (finding,) = returned_values(source(body="return M + N"), ["kernel", "kernel"])
    assert (finding.id, finding.line, finding.params) == ("unsupported-statement", 3, {"statement": "return-value"})


@pytest.mark.parametrize("body", ["return", "return None", "pass"])
def test_nothing_is_returned(body: str) -> None:
    assert returned_values(source(body=body), ["kernel"]) == []


def test_a_text_that_does_not_parse_says_nothing() -> None:
    assert exchanged_arguments("def (", ["kernel"]) == [] and returned_values("def (", ["kernel"]) == []


@pytest.mark.parametrize(
    ("value", "found"),
    [("mask", True), ("offs < n", True), ("(offs < n) & mask", True), ("x", False), ("tl.where(mask, x, 0.0)", False)],
)
def test_a_condition_for_a_value(value: str, found: bool) -> None:
    body = "\n    ".join(
        (
            "offs = tl.arange(0, BLOCK)",
            "mask = offs < M",
            "x = tl.load(x_ptr + offs, mask=mask)",
            f"tl.store(out_ptr + offs, {value}, mask=mask)",
        )
    )
    said = [(one.line, one.params["pointer"]) for one in stored_masks(source(body), ["kernel"])]
    assert said == ([(6, "out_ptr")] if found else [])
    assert stored_masks(source(body), ["another"]) == []
