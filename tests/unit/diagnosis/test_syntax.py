"""What a keystroke can break, in the words of whichever Python runs."""

from __future__ import annotations

import pytest

from tritontui.diagnosis import check_syntax, explain

BROKEN = {
    "missing-colon": [
        ("def f(x)\n    return x\n", 1),
        ("for i in range(3)\n    y = 1\n", 1),
        ("if x:\n    y = 1\nelse\n    y = 2\n", 3),
    ],
    "unclosed": [
        ("x = (1 +\ny = 2\n", 1),
        ("def f():\n    tl.store(out + offs, x, mask=mask\n    y = 3\n", 2),
        ("x = [1, 2\n\n\nz = 3\n", 1),
    ],
    "unmatched": [("y = 2\nx = 1)\n", 2)],
    "wrong-bracket": [("x = (1]\n", 1), ("x = (1,\n 2]\n", 2)],
    "unterminated-string": [("x = 'abc\ny = 2\n", 1)],
    "unterminated-text": [("y = 1\nx = '''abc\nz\n", 2)],
    "mixed-tabs": [("if x:\n        y = 1\n\tz = 2\n", 3)],
    "missing-indent": [("def f():\nreturn 1\n", 2)],
    "unexpected-indent": [("x = 1\n    y = 2\n", 2)],
    "wrong-dedent": [("if x:\n        y = 1\n    z = 2\n", 3)],
    "assignment": [("if x = 3:\n    pass\n", 1), ("while x.y = 3:\n    pass\n", 1), ("if f(x) = 2:\n    pass\n", 1)],
    "assign-to": [("3 = x\n", 1), ("f(x) = 2\n", 1)],
    "missing-comma": [("x = [1 2]\n", 1), ("f(a b)\n", 1)],
    "invalid-character": [("x = ‘a’\n", 1), ("x =\u00a01\n", 1), ("y = 1\nx = '\ud800'\n", 2)],
    "null-byte": [("x = 1\ny = \0\n", 2)],
    "too-deep": [
        ("(" * 500, 1),
        ("".join(" " * i + "if x:\n" for i in range(120)), None),
        ("x=" + "-" * 100_000 + "1", None),
    ],
    "else-if": [("if x:\n    pass\nelse if y:\n    pass\n", 3)],
    "unfinished": [("x = \n", 1), ("x = a +\n", 1)],
    "other": [("x = 1 2 3\n", 1)],
    "late-positional": [("f(a=1, 2)\n", 1)],
    "cuda-launch": [("def f():\n    kernel<<<4, 256>>>(x)\n", 2)],
}


@pytest.mark.parametrize(("problem", "source", "line"), [(p, *case) for p, cases in BROKEN.items() for case in cases])
def test_broken(problem: str, source: str, line: int | None) -> None:
    finding = check_syntax(source)
    assert finding is not None
    assert finding.params["problem"] == problem, finding
    assert line is None or finding.line == line
    assert finding.column is None or finding.column >= 1
    for language in ("en", "it"):
        assert all(explain(finding, language)[:3])


@pytest.mark.parametrize(
    "source", ["", "\n", "x = 1", "x = '\\d'\n", "# only a comment", "def f():\n\treturn 1\n", "return 3\n"]
)
def test_whole(source: str, recwarn: pytest.WarningsRecorder) -> None:
    assert check_syntax(source) is None
    assert not recwarn.list


def test_brackets_name_their_partners() -> None:
    unclosed = check_syntax("x = foo(\n    1,\ny = 2\n")
    assert unclosed is not None
    assert (unclosed.params["bracket"], unclosed.params["opened_line"]) == ("(", 1)
    wrong = check_syntax("x = (1,\n 2]\n")
    assert wrong is not None
    assert (wrong.params["bracket"], wrong.params["opener"], wrong.params["opened_line"]) == ("]", "(", 1)


def test_blocks_name_what_opened_them() -> None:
    for source, keyword in (("def f():\nx\n", "def"), ("for i in x:\ny\n", "for"), ("class A:\nx\n", "class")):
        finding = check_syntax(source)
        assert finding is not None
        assert finding.params["after"] == keyword


def test_every_prefix_of_a_file_has_an_answer() -> None:
    """Whatever is typed so far, there is a finding with a line, or none: never an exception."""
    source = (
        "import triton\n\n\n@triton.jit\ndef k(x, n: \"a\"):\n\tif n > [1, (2)]:\n\t\tx = f\"{n!r:>{3}}\" '''t'''\n"
    )
    for end in range(len(source)):
        finding = check_syntax(source[:end])
        assert finding is None or (finding.id == "syntax-error" and finding.line)
