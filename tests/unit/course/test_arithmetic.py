"""The course's arithmetic: right, and harmless whatever is typed."""

from __future__ import annotations

import pytest

from tritontui.course.arithmetic import ExpressionError, evaluate, names


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("3 * 256 + 232", 1000),
        ("-(n - 1) // 2", -3),
        ("7 / 2", 3.5),
        ("n % 4", 3),
        ("2 ** 20", 1 << 20),
        ("cdiv(1000, 256)", 4),
        ("cdiv(1024, 256)", 4),
        ("min(n, 3) + max(n, 9, 1)", 12),
        ("next_power_of_2(200)", 256),
        ("next_power_of_2(256)", 256),
        ("next_power_of_2(1)", 1),
        (" 1_000 ", 1000),
    ],
)
def test_values(expression: str, value: float) -> None:
    assert evaluate(expression, {"n": 7}) == value


@pytest.mark.parametrize(
    "expression",
    [
        "",
        "3 +",
        "m",
        "n.real",
        "n[0]",
        "'a'",
        "True",
        "n if n else 1",
        "__import__('os')",
        "print(1)",
        "min(default=1)",
        "lambda: 1",
        "1 / 0",
        "cdiv(1, 0)",
        "min()",
        "9 ** 9 ** 9",
        "2 ** 129",
        "(-1) ** 0.5",
        "1e400",
        "10 ** 128 * 10 ** 128",
        "next_power_of_2(0)",
        "(" * 150 + ")" * 150,
        "-" * 190 + "1" * 30,
        "\x00",
    ],
)
def test_everything_else_is_an_expression_error(expression: str) -> None:
    with pytest.raises(ExpressionError):
        evaluate(expression, {"n": 7})


def test_names() -> None:
    assert names("cdiv(n, BLOCK) + n") == {"n", "BLOCK"}
