"""Measuring, as far as it needs no GPU: the large case on any card, and the ceilings' arithmetic."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest
import torch

from tritontui.engine.messages import GpuInfo
from tritontui.runner.compiler.target import compiling_for
from tritontui.runner.exercises import load_exercise
from tritontui.runner.measuring.ceilings import Ceilings, ceilings
from tritontui.runner.measuring.conditions import CACHE_MULTIPLE
from tritontui.runner.measuring.large import (
    WrongAtScaleError,
    check_at_scale,
    draw,
    fitting_case,
    measured_launches,
    workload,
)
from tritontui.runner.measuring.measure import Bench
from tritontui.runner.measuring.roofs import roofs
from tritontui.runner.spec import Case, Exercise
from tritontui.runner.submission import Submissions, execute

H200 = Ceilings(copy_gbps=4143.0, add_gbps=4328.0, read_gbps=3903.0, fill_gbps=4559.0, empty_us=3.9)


def inputs(case, generator):
    device = case.get("device", "cpu")
    generator = None if device == "meta" else generator
    return [torch.randn(case["n"], generator=generator, device=device) for _ in range(2)]


def exercise(n=1 << 27, **changes):
    values = {
        "entry": "add",
        "inputs": inputs,
        "reference": lambda x, y: x + y,
        "cases": [],
        "trace_case": Case("small", {"n": 10}),
        "measure_case": Case("large", {"n": n}),
        "ideal_bytes": lambda x, y: 3 * x.numel() * x.element_size(),
    }
    return Exercise(**{**values, **changes})


class TestCase:
    def test_shapes_without_memory(self):
        x, y = draw(exercise(), exercise().measure_case, torch.device("meta"))
        assert (x.device.type, x.shape, y.dtype) == ("meta", (1 << 27,), torch.float32)

    def test_a_case_that_fits_stays(self):
        assert fitting_case(exercise(), 2 << 30).name == "large"

    def test_a_small_card_gets_a_smaller_case(self):
        case = fitting_case(exercise(), 1 << 30)
        assert case.values == {"n": 1 << 26}
        assert case.name == "n = 67108864"

    def test_the_largest_size_is_halved(self):
        two = exercise(
            measure_case=Case("large", {"rows": 16, "columns": 1 << 20}),
            inputs=lambda case, generator: [torch.empty(case["rows"], case["columns"], device="meta")],
            ideal_bytes=lambda x: 4 * x.numel(),
        )
        assert fitting_case(two, 16 << 20).values == {"rows": 16, "columns": 1 << 18}


CARDS = {
    "RTX 3070": (8, 4),
    "RTX 4060": (8, 24),
    "RTX 4070": (12, 36),
    "RTX 4090": (24, 72),
    "RTX 5090": (32, 96),
    "A100": (80, 40),
    "H200": (141, 60),
    "B200": (180, 126),
}
"""GiB of memory and MiB of L2, from the data sheets."""
LESSONS = Path(__file__).parents[2] / "lessons"


def measured_exercises():
    for path in sorted(LESSONS.glob("*/exercises/*/exercise.py")):
        found = load_exercise(path.parent, {})
        if found.measure_case is not None and found.ideal_bytes is not None:
            yield pytest.param(found, id=path.parent.name)


class TestCards:
    """Every measured exercise of the course, on cards that aren't here."""

    @pytest.fixture(params=CARDS, ids=str)
    def bench(self, request, monkeypatch):
        memory, cache = (size << shift for size, shift in zip(CARDS[request.param], (30, 20), strict=True))
        free = memory - memory // 8  # what a desktop and a CUDA context leave
        monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device=None: (free, memory))
        gpu = GpuInfo(
            index=0,
            name=request.param,
            capability="sm_90",
            memory_bytes=memory,
            l2_bytes=cache,
            sm_count=1,
            peak_gbps=None,
        )
        return Bench(gpu, torch.device("cuda:0"), Sensors(), lambda: None, lambda: None)

    @pytest.mark.parametrize("measured", list(measured_exercises()))
    def test_the_case_is_several_times_l2_and_within_a_quarter_of_what_is_free(self, bench, measured):
        case = fitting_case(measured, bench.allowance())
        moved = measured.ideal_bytes(*draw(measured, case, torch.device("meta")))
        free, _ = torch.cuda.mem_get_info()
        assert moved <= free // 4
        if measured.ideal_flops is None:  # arithmetic rules elsewhere, and size is chosen by it
            assert moved >= CACHE_MULTIPLE * bench.gpu.l2_bytes

    def test_a_card_that_is_nearly_full_gets_a_case_that_is_said_to_be_small(self, bench, monkeypatch):
        monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device=None: (bench.gpu.l2_bytes, 0))
        assert fitting_case(exercise(), bench.allowance()).values["n"] * 12 <= bench.gpu.l2_bytes // 4


class TestWorkload:
    def test_bytes_and_arithmetic_are_known_without_memory(self):
        work = workload(exercise(ideal_flops=lambda x, y: x.numel()), 7)
        assert (work.run, work.case, work.bytes, work.flops) == (7, "large", 3 * 4 << 27, 1 << 27)

    def test_what_the_exercise_does_not_say(self):
        work = workload(exercise(ideal_bytes=None), 7)
        assert (work.bytes, work.flops) == (0, None)
        assert workload(exercise(measure_case=None), 7) is None


class TestRoofs:
    @pytest.mark.parametrize(
        ("capability", "multiprocessors", "megahertz", "fp32", "tensor"),
        [("sm_80", 108, 1410, 19.5, 312), ("sm_89", 128, 2520, 82.6, 330), ("sm_90", 132, 1830, 61.8, 989)],
    )
    def test_as_in_the_data_sheets(self, capability, multiprocessors, megahertz, fp32, tensor):
        found = roofs(capability, multiprocessors, megahertz)
        assert found.fp32 == pytest.approx(fp32, rel=0.01)
        assert found.tensor == pytest.approx(tensor, rel=0.01)

    def test_an_architecture_nobody_knows(self):
        assert roofs("sm_999", 1, 1000) is None


class TestScale:
    def test_right(self):
        x = torch.ones(1000)
        check_at_scale(exercise(), Case("large"), torch.add, torch.add, [x, x])

    def test_wrong(self):
        x = torch.ones(1000)

        def broken(x, y):
            out = x + y
            out[-24:] = 0
            return out

        with pytest.raises(WrongAtScaleError) as raised:
            check_at_scale(exercise(), Case("large"), broken, torch.add, [x, x])
        assert (raised.value.wrong, raised.value.total) == (24, 1000)


SOLUTION = """
import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    tl.store(out_ptr + offs, tl.load(x_ptr + offs, mask=mask) + tl.load(y_ptr + offs, mask=mask), mask=mask)


def add(x, y):
    print("adding")
    out = torch.empty_like(x)
    add_kernel[(triton.cdiv(x.numel(), 256),)](x, y, out, x.numel(), BLOCK=256, num_warps=2)
    return out


def looks(x, y):
    return x if float(x[0]) > 0 else y
"""


class TestLaunches:
    @pytest.fixture
    def module(self):
        submissions = Submissions()
        placed = submissions.place(SOLUTION, "mine.py")
        execute(placed)
        yield placed.module
        submissions.close()

    def test_what_the_large_case_would_launch(self, module, capsys):
        with compiling_for("sm_90"):
            (launch,) = measured_launches(exercise(), module.add)
        assert launch.kernel is module.add_kernel
        assert (launch.arguments["n"], launch.arguments["BLOCK"]) == (1 << 27, 256)
        assert launch.options == {"num_warps": 2}
        assert capsys.readouterr().out == ""

    def test_host_code_that_needs_values(self, module):
        with compiling_for("sm_90"):
            assert measured_launches(exercise(), module.looks) == []

    def test_no_large_case(self, module):
        assert measured_launches(exercise(measure_case=None), module.add) == []


class TestCeilings:
    @pytest.mark.parametrize(
        ("mix", "expected"),
        [(0.0, 4559.0), (1.0, 4143.0), (2.0, 4328.0), (float("inf"), 3903.0)],
    )
    def test_measured_mixes(self, mix, expected):
        assert H200.for_mix(mix) == pytest.approx(expected)

    def test_between_two_mixes(self):
        assert 4143.0 < H200.for_mix(1.5) < 4328.0
        assert 3903.0 < H200.for_mix(10.0) < 4328.0

    def test_kept_for_this_card(self, tmp_path, measured):
        for _ in range(2):
            assert ceilings(torch.device("cuda:0"), Sensors(), tmp_path) == H200
        assert len(measured) == 1
        next(tmp_path.iterdir()).write_text("{")
        assert ceilings(torch.device("cuda:0"), Sensors(), tmp_path) == H200
        assert len(measured) == 2

    def test_another_card_has_its_own(self, tmp_path, measured):
        ceilings(torch.device("cuda:0"), Sensors(), tmp_path)
        ceilings(torch.device("cuda:0"), Sensors(name="GPU-2 driver"), tmp_path)
        assert len(measured) == 2

    @pytest.mark.parametrize("state", [{"reasons": {"thermal"}}, {"busy": {1, 2}}], ids=["hot", "shared"])
    def test_a_hot_or_a_shared_card_has_no_ceiling_to_keep(self, tmp_path, measured, state):
        assert ceilings(torch.device("cuda:0"), Sensors(**state), tmp_path) == H200
        assert list(tmp_path.iterdir()) == []
        ceilings(torch.device("cuda:0"), Sensors(), tmp_path)
        assert len(measured) == 2

    @pytest.fixture
    def measured(self, monkeypatch):
        """Times that ceilings were measured."""
        calls = []
        monkeypatch.setattr(
            "tritontui.runner.measuring.ceilings.measure_ceilings", lambda device: calls.append(device) or H200
        )
        return calls


@dataclass
class Sensors:
    """Of a card in one state."""

    name: str = "GPU-1 driver"
    reasons: set[str] = field(default_factory=set)
    busy: set[int] = field(default_factory=set)

    def identity(self):
        return self.name

    def throttled(self):
        return self.reasons

    def power_capped(self):
        return False

    def busy_processes(self, since):
        return self.busy
