"""Measuring, as far as it needs no GPU: the case, the remarks, the lock, the ceilings' arithmetic."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import threading

import pytest
import torch

from tritontui.runner.ceilings import Ceilings, Times, ceilings
from tritontui.runner.measure import (
    Condition,
    WrongAtScaleError,
    check_at_scale,
    draw,
    fitting_case,
    gpu_to_oneself,
    measured_launches,
    remarks,
    workload,
)
from tritontui.runner.roofs import roofs
from tritontui.runner.spec import Case, Exercise
from tritontui.runner.submission import Submissions, execute
from tritontui.runner.target import compiling_for

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


class TestRemarks:
    steady = Times(98.0, 100.0, 102.0)

    def said(self, times=steady, host_us=20.0, moved=1 << 30, condition=None, waited=0.0):
        found = remarks(times, host_us, 3.9, moved, 50 << 20, condition or Condition(), waited)
        assert all(finding.severity == "note" for finding in found)
        return {finding.id: finding.params for finding in found}

    def test_nothing_to_say(self):
        assert self.said() == {}

    def test_launch_bound_by_the_host(self):
        assert self.said(host_us=150.0)["launch-bound"]["host_us"] == 150.0

    def test_launch_bound_by_the_empty_kernel(self):
        assert set(self.said(times=Times(7.0, 7.1, 7.2), host_us=1.0)) == {"launch-bound"}

    def test_in_cache(self):
        assert self.said(moved=1 << 20) == {"fits-in-cache": {"bytes": 1 << 20, "cache_bytes": 50 << 20}}

    def test_noise(self):
        assert self.said(times=Times(90.0, 100.0, 110.0))["noisy-measurement"]["spread_percent"] == 20

    def test_this_process_under_another_number(self):
        assert self.said(condition=Condition(set(), {1})) == {}
        assert self.said(condition=Condition(set(), {1, 2}))["gpu-busy"] == {"processes": 1}

    def test_the_state_of_the_gpu(self):
        said = self.said(condition=Condition({"thermal"}, {1, 2, os.getpid()}), waited=1.26)
        assert said == {
            "gpu-busy": {"processes": 2},
            "gpu-throttled": {"reasons": ["thermal"]},
            "gpu-waited": {"seconds": 1.3},
        }


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

    def test_kept_for_this_card(self, tmp_path, monkeypatch):
        class Sensors:
            hot = frozenset()

            def identity(self):
                return "GPU-1 driver"

            def throttled(self):
                return self.hot

        measured = []
        monkeypatch.setattr(
            "tritontui.runner.ceilings.measure_ceilings", lambda device: measured.append(device) or H200
        )
        for _ in range(2):
            assert ceilings(torch.device("cuda:0"), Sensors(), tmp_path) == H200
        assert len(measured) == 1
        next(tmp_path.iterdir()).write_text("{")
        assert ceilings(torch.device("cuda:0"), Sensors(), tmp_path) == H200
        assert len(measured) == 2

    def test_a_hot_card_has_no_ceiling_to_keep(self, tmp_path, monkeypatch):
        class Sensors:
            def identity(self):
                return "GPU-1 driver"

            def throttled(self):
                return {"thermal"}

        monkeypatch.setattr("tritontui.runner.ceilings.measure_ceilings", lambda device: H200)
        assert ceilings(torch.device("cuda:0"), Sensors(), tmp_path) == H200
        assert list(tmp_path.iterdir()) == []


class TestLock:
    def test_free(self, tmp_path):
        node = tmp_path / "nvidia0"
        node.touch()
        with gpu_to_oneself(node, pytest.fail, lambda: None) as waited:
            assert waited == 0.0
            assert not _can_lock(node)
        assert _can_lock(node)

    def test_no_node(self, tmp_path):
        with gpu_to_oneself(tmp_path / "none", pytest.fail, lambda: None) as waited:
            assert waited == 0.0

    def test_waits_for_another_process(self, tmp_path):
        node = tmp_path / "nvidia0"
        node.touch()
        holder = subprocess.Popen(
            [sys.executable, "-c", HOLD, str(node)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert holder.stdout.readline() == "held\n"
        told = threading.Event()

        def waiting():
            told.set()
            holder.communicate("let go\n")

        with gpu_to_oneself(node, waiting, lambda: None) as waited:
            assert told.is_set()
            assert waited > 0.0

    def test_a_cancelled_wait_ends(self, tmp_path):
        class Cancelled(BaseException):
            pass

        def cancelled():
            raise Cancelled

        node = tmp_path / "nvidia0"
        node.touch()
        holder = os.open(node, os.O_RDONLY)
        fcntl.flock(holder, fcntl.LOCK_EX)
        with pytest.raises(Cancelled), gpu_to_oneself(node, lambda: None, cancelled):
            pytest.fail("never reached")
        os.close(holder)


HOLD = """
import fcntl, sys
node = open(sys.argv[1])
fcntl.flock(node, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.readline()
"""


def _can_lock(path):
    with path.open() as node:
        try:
            fcntl.flock(node, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True
