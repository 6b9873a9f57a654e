"""One lane's arithmetic in the learner's own names."""

from __future__ import annotations

import numpy as np
import pytest
from handmade import Launch, addition

from tritontui.analysis import inspect
from tritontui.analysis.trace import Trace
from tritontui.engine.messages import Inspection, InspectRequest


def ask(trace: Trace, program: int, lane: int, site: int = 0) -> Inspection:
    return inspect(trace, InspectRequest(run=1, request=2, launch=0, site=site, program=program, lane=lane))


def test_the_last_block_of_an_addition() -> None:
    answer = ask(addition(masked=False).trace(), 3, 232)
    assert (answer.formula, answer.names) == ("3·256 + 232 = 1000", {"pid": "3", "BLOCK": "256"})
    assert (answer.offset, answer.active, answer.inside) == (1000, True, False)
    assert (answer.program, answer.lane_index, answer.out_ranges, answer.masked_ranges) == (
        [3],
        [232],
        [(232, 255)],
        [],
    )


def test_a_masked_lane() -> None:
    answer = ask(addition().trace(), 3, 240)
    assert (answer.active, answer.masked_ranges, answer.out_ranges) == (False, [(232, 255)], [])


@pytest.mark.parametrize(("program", "lane", "site"), [(0, 256, 0), (7, 0, 0), (0, 0, 5)])
def test_what_does_not_exist_is_a_lookup_error(program: int, lane: int, site: int) -> None:
    with pytest.raises(LookupError):
        ask(addition().trace(), program, lane, site)


def kernel(body: str, parameters: str = "x_ptr, M, N, stride, BM: tl.constexpr, BN: tl.constexpr") -> str:
    lines = "".join(f"    {line}\n" for line in body.strip().splitlines())
    return f"@triton.jit\ndef kernel({parameters}):\n{lines}"


def tile_launch(body: str, line: int, rows: int = 4, columns: int = 8) -> Launch:
    launch = Launch((2, 3), source=kernel(body), M=8, N=24, stride=24, BM=rows, BN=columns)
    tensor = launch.tensor("x_ptr", (8, 24))
    pid0, pid1 = np.unravel_index(np.arange(6), (2, 3))
    r = pid0[:, None, None] * rows + np.arange(rows)[:, None]
    c = pid1[:, None, None] * columns + np.arange(columns)
    launch.access("load", tensor, r * 24 + c, line=line)
    return launch


TWO_AXES = """
rm = tl.program_id(0) * BM + tl.arange(0, BM)
rn = tl.program_id(1) * BN + tl.arange(0, BN)
x = tl.load(x_ptr + rm[:, None] * stride + rn[None, :])
"""


def test_a_tile_says_both_axes() -> None:
    answer = ask(tile_launch(TWO_AXES, 5).trace(), 4, 11)  # program (1, 1), lane (1, 3)
    assert answer.formula == "(1·4 + 1)·24 + 1·8 + 3 = 131"
    assert answer.names == {"BM": "4", "stride": "24", "BN": "8"}
    assert (answer.program, answer.lane_index) == ([1, 1], [1, 3])


def test_names_on_the_way_are_followed_and_several_at_once() -> None:
    body = """
pid_m, pid_n = tl.program_id(0), tl.program_id(axis=1)
first = pid_m.to(tl.int64) * BM
rm = first + tl.arange(0, BM)
rn = pid_n * BN + tl.arange(0, BN)
ptrs = x_ptr + (rm[:, None] * stride + rn[None, :])
x = tl.load(ptrs)
"""
    answer = ask(tile_launch(body, 8).trace(), 4, 11)
    assert answer.formula == "(4 + 1)·24 + 1·8 + 3 = 131"
    assert answer.names == {"pid_m": "1", "pid_n": "1", "BM": "4", "BN": "8", "first": "4", "stride": "24"}


def loop_launch(body: str, line: int) -> Launch:
    launch = Launch((2,), source=kernel(body, "x_ptr, n_cols, BLOCK: tl.constexpr"), n_cols=64, BLOCK=16)
    tensor = launch.tensor("x_ptr", (2, 64))
    site = launch.site("load", tensor, line, (16,))
    for step in (2, 3):
        offsets = np.arange(2)[:, None] * 64 + step * 16 + np.arange(16)
        launch.access("load", tensor, offsets, site=site, iteration=(step,))
    return launch


@pytest.mark.parametrize(
    ("body", "line", "formula"),
    [
        (
            "row = tl.program_id(0)\nfor start in range(0, n_cols, BLOCK):\n"
            "    cols = start + tl.arange(0, BLOCK)\n    x = tl.load(x_ptr + row * n_cols + cols)\n",
            6,
            "1·64 + 32 + 5 = 101",
        ),
        (
            "row = tl.program_id(0)\nptrs = x_ptr + row * n_cols + tl.arange(0, BLOCK)\n"
            "for start in range(0, n_cols, BLOCK):\n    x = tl.load(ptrs)\n    ptrs += BLOCK\n",
            6,
            "1·64 + 5 + 2·16 = 101",
        ),
    ],
)
def test_loops_say_where_they_are(body: str, line: int, formula: str) -> None:
    answer = ask(loop_launch(body, line).trace(), 1, 5)
    assert answer.formula == formula


@pytest.mark.parametrize(
    "body",
    [
        "index = tl.load(i_ptr + tl.arange(0, BLOCK))\nx = tl.load(x_ptr + index)\n",
        "offs = tl.arange(0, BLOCK)\nif n_cols > 3:\n    offs = 2 * offs\nx = tl.load(x_ptr + offs)\n",
        "not python (",
    ],
)
def test_what_the_text_does_not_say_comes_from_the_record(body: str) -> None:
    launch = Launch((2,), source=kernel(body, "x_ptr, i_ptr, n_cols, BLOCK: tl.constexpr"), n_cols=64, BLOCK=16)
    line = 2 + len(body.splitlines())
    launch.access("load", launch.tensor("x_ptr", 64), 10 + 2 * np.arange(16)[None], line=line)
    answer = ask(launch.trace(), 1, 5)
    assert (answer.formula, answer.names) == ("10 + 5·2 = 20", {})


def test_a_text_that_says_something_else_is_not_believed() -> None:
    launch = addition()
    launch.source = launch.source.replace("pid * BLOCK", "pid * BLOCK + 1")
    assert ask(launch.trace(), 3, 2).formula == "768 + 2 = 770"


def test_irregular_offsets_are_simply_said() -> None:
    launch = Launch()
    launch.access("load", launch.tensor("x_ptr", 64), [[5, 9, 2, 40]])
    assert ask(launch.trace(), 0, 3).formula == "40"
