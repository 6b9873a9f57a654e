"""Outputs against right answers: what passes, what doesn't, and what wrong elements have in common."""

from __future__ import annotations

import pytest
import torch

from tritontui.runner.cases.compare import DEFAULT_TOLERANCES, compare, tolerance_for
from tritontui.runner.cases.memory import poison
from tritontui.runner.spec import EXACT, Tolerance

FLOAT32 = DEFAULT_TOLERANCES[torch.float32]


def numbers(n=1000):
    return torch.linspace(1.0, 2.0, n)


def mismatch(got, expected, tolerance=FLOAT32):
    return compare(got, expected.to(torch.float64), tolerance)


class TestRight:
    def test_equal(self):
        assert mismatch(numbers(), numbers()) is None

    def test_nothing_to_compare(self):
        assert mismatch(torch.empty(0), torch.empty(0)) is None

    def test_nan_and_infinity_where_they_belong(self):
        values = torch.tensor([float("nan"), float("inf"), -float("inf"), 1.0])
        assert mismatch(values, values) is None

    def test_a_sum_that_rounds_to_infinity(self):
        got = torch.tensor([float("inf")], dtype=torch.float16)
        exact = torch.tensor([70000.0], dtype=torch.float64)
        assert compare(got, exact, DEFAULT_TOLERANCES[torch.float16]) is None

    @pytest.mark.parametrize("dtype", [d for d in DEFAULT_TOLERANCES if d.itemsize > 1])
    def test_one_rounding_is_within_tolerance(self, dtype):
        exact = torch.linspace(0.001, 1000.0, 4001, dtype=torch.float64)
        assert compare(exact.to(dtype), exact, DEFAULT_TOLERANCES[dtype]) is None

    def test_integers_are_exact(self):
        assert tolerance_for(torch.int32, {}) is EXACT
        assert tolerance_for(torch.float32, {torch.float32: EXACT}) is EXACT
        assert compare(torch.arange(5), torch.arange(5), EXACT) is None


class TestWrong:
    def test_the_first_wrong_element_is_shown(self):
        got = numbers()
        got[7] = 3.0
        found = mismatch(got, numbers())
        assert (found.index, found.wrong, found.total) == ([7], 1, 1000)
        assert found.got == "3"
        assert found.difference.startswith("+1.9")

    @pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.float64, torch.int32, torch.int64])
    def test_an_element_never_written_is_told_from_a_wrong_one(self, dtype):
        right = torch.arange(10).to(dtype)
        got = poison(torch.empty(10, dtype=dtype))
        got[:4] = right[:4]
        tolerance = tolerance_for(dtype, {})
        assert compare(got, right.to(torch.float64), tolerance).written is False
        got[4] = float("nan") if dtype.is_floating_point else 77
        assert compare(got, right.to(torch.float64), tolerance).written is True

    @pytest.mark.parametrize("dtype", [torch.int8, torch.bool, torch.float8_e5m2])
    def test_a_pattern_that_may_be_there_by_right_is_taken_as_written(self, dtype):
        got = poison(torch.empty(4, dtype=dtype))
        assert compare(got, torch.zeros(4, dtype=torch.float64), tolerance_for(dtype, {})).written is True

    def test_a_single_number(self):
        assert mismatch(torch.tensor(1.0), torch.tensor(1.0)) is None
        assert mismatch(torch.tensor(2.0), torch.tensor(1.0)).index == []

    def test_index_in_two_dimensions(self):
        got = numbers(12).reshape(3, 4).clone()
        got[1, 2] = 0
        assert mismatch(got, numbers(12).reshape(3, 4)).index == [1, 2]

    @pytest.mark.parametrize(
        ("got", "expected"),
        [
            (float("inf"), 1.0),
            (1.0, float("inf")),
            (float("nan"), 1.0),
            (1.0, float("nan")),
            (-float("inf"), float("inf")),
        ],
    )
    def test_infinities_and_nan_are_not_near_anything(self, got, expected):
        assert mismatch(torch.tensor([got]), torch.tensor([expected])) is not None

    def test_a_relative_error_of_a_thousandth(self):
        assert mismatch(numbers() * 1.001, numbers()) is not None

    def test_float32_computed_in_float16(self):
        x, y = numbers(), numbers() / 3
        assert mismatch((x.half() + y.half()).float(), x.double() + y.double()) is not None

    def test_a_wrong_integer(self):
        found = compare(torch.tensor([1, 2, 4]), torch.tensor([1, 2, 3]), EXACT)
        assert (found.index, found.expected, found.got, found.difference) == ([2], "3", "4", "+1")


class TestPatterns:
    def test_tail(self):
        got = numbers()
        got[768:] = 0
        found = mismatch(got, numbers())
        assert (found.pattern, found.pattern_params) == ("tail", {"first": 768, "last": 999})

    def test_last_element_alone_is_a_tail(self):
        got = numbers()
        got[999] = 0
        assert mismatch(got, numbers()).pattern == "tail"

    def test_one_block(self):
        got = numbers()
        got[256:512] = 0
        found = mismatch(got, numbers())
        assert (found.pattern, found.pattern_params) == ("one-block", {"first": 256, "last": 511})

    def test_every_fourth(self):
        got = numbers()
        got[3::4] = 0
        found = mismatch(got, numbers())
        assert (found.pattern, found.pattern_params) == ("every-k", {"first": 3, "k": 4})

    def test_all(self):
        assert mismatch(numbers() ** 2 + 3, numbers()).pattern == "all"

    @pytest.mark.parametrize(
        ("change", "pattern", "by"),
        [
            (lambda x: 2 * x, "factor", 2.0),
            (lambda x: -x, "sign", -1.0),
            (lambda x: x + 3, "offset", 3.0),
            (lambda x: x.roll(-1), "shifted", 1),
            (lambda x: x.roll(5), "shifted", -5),
            (lambda x: x * 0 + 7, "constant", 7.0),
        ],
    )
    def test_wrong_by_a_rule(self, change, pattern, by):
        right = numbers() + 0.5
        found = mismatch(change(right), right)
        assert (found.pattern, found.pattern_params) == (pattern, {"by": by})

    @pytest.mark.parametrize("shape", [(8, 8), (5, 9)])
    def test_transposed(self, shape):
        expected = numbers(shape[0] * shape[1]).reshape(shape)
        got = expected.t().contiguous().reshape(shape)
        assert mismatch(got, expected).pattern == "transposed"

    def test_noise(self):
        generator = torch.Generator().manual_seed(0)
        expected = torch.randn(64, 64, generator=generator)
        got = expected * (1 + 1e-3 * torch.randn(64, 64, generator=generator))
        found = mismatch(got, expected, Tolerance(1e-6, 1e-6, ""))
        assert found.pattern == "noise"
        assert 0 < found.pattern_params["worst"] < 1e-2

    def test_nan_everywhere_is_no_noise(self):
        assert mismatch(torch.full((9,), float("nan")), numbers(9)).pattern == "all"

    def test_no_pattern(self):
        got = numbers()
        got[[3, 17, 401]] = 0
        assert mismatch(got, numbers()).pattern is None
