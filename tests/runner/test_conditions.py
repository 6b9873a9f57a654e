"""The conditions of a measurement: who else is there, how the card fares, and the words beside the figure."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import threading

import pytest

from tritontui.diagnosis import explain
from tritontui.runner.measuring import conditions, hardware
from tritontui.runner.measuring.conditions import Condition, gpu_to_oneself, remarks, sampled
from tritontui.runner.measuring.hardware import NvidiaSensors, others
from tritontui.runner.measuring.timing import Times


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
        assert self.said(moved=1 << 20) == {"fits-in-cache": {"bytes": 1 << 20, "cache_bytes": 50 << 20, "whole": True}}

    @pytest.mark.parametrize(("mebibytes", "whole"), [(50, True), (51, False), (199, False), (200, None)])
    def test_several_times_the_cache_is_enough(self, mebibytes, whole):
        said = self.said(moved=mebibytes << 20)
        assert (said["fits-in-cache"]["whole"] if said else None) is whole

    def test_noise(self):
        assert self.said(times=Times(90.0, 100.0, 110.0))["noisy-measurement"]["spread_percent"] == 20

    def test_this_process_under_another_number(self):
        assert self.said(condition=Condition(set(), {1})) == {}
        assert self.said(condition=Condition(set(), {1, 2}))["gpu-busy"] == {"processes": 1}

    def test_the_state_of_the_gpu(self):
        said = self.said(condition=Condition({"thermal"}, {1, 2, os.getpid()}), waited=1.26)
        assert said == {
            "gpu-busy": {"processes": 2},
            "gpu-throttled": {"reasons": ["thermal"], "hot": True},
            "gpu-waited": {"seconds": 1.3},
        }


WORDS = {
    "launch-bound": (
        {"times": Times(7.0, 7.1, 7.2), "host_us": 15.0},
        "The kernel runs for 7.1 µs, a call from Python takes 15 µs, and even an empty kernel takes 3.9 µs",
        "Il kernel dura 7,1 µs, una chiamata da Python 15 µs, e perfino un kernel vuoto 3,9 µs",
    ),
    "fits-in-cache": (
        {"moved": 20 << 20},
        "20 MiB move, and the L2 cache holds 50 MiB",
        "Si muovono 20 MiB, e la cache L2 ne tiene 50 MiB",
    ),
    "noisy-measurement": (
        {"times": Times(90.0, 100.0, 110.0)},
        "One run in five is under 90 µs, one in five over 110 µs.",
        "Una misura su cinque sta sotto 90 µs, una su cinque sopra 110 µs.",
    ),
    "gpu-busy": (
        {"condition": Condition(busy={1, 2, os.getpid()})},
        "2 other processes computed on it during the measurement",
        "Durante la misura calcolavano lì 2 altri processi",
    ),
    "gpu-throttled": (
        {"condition": Condition(throttled={"thermal"})},
        "it ran below its clock, because it was too hot",
        "girava sotto la sua frequenza, perché era troppo calda",
    ),
    "gpu-power-capped": (
        {"condition": Condition(power_capped=True)},
        "as high as its power limit allows",
        "quella che il limite di potenza consente",
    ),
    "gpu-waited": (
        {"waited": 2.0},
        "yours began 2 seconds later",
        "la tua è cominciata 2 secondi dopo",
    ),
}


class TestWords:
    """What a learner reads beside the figure, each under its own condition alone."""

    @pytest.mark.parametrize(("identifier", "given", "english", "italian"), [(k, *v) for k, v in WORDS.items()])
    def test_said_in_both_languages(self, identifier, given, english, italian):
        usual = {"times": Times(98.0, 100.0, 102.0), "host_us": 20.0, "moved": 1 << 30, "waited": 0.0}
        usual |= {"empty_us": 3.9, "cache_bytes": 50 << 20, "condition": Condition()}
        (remark,) = remarks(**{**usual, **given})
        assert remark.id == identifier
        assert english in explain(remark, "en").message
        assert italian in explain(remark, "it").message

    @pytest.mark.parametrize("language", ["en", "it"])
    def test_why_the_clock_is_low(self, language):
        def message(reasons):
            said = remarks(Times(9.0, 9.0, 9.0), 1.0, 1.0, 0, 1, Condition(throttled=reasons), 0.0)
            return explain(said[0], language).message

        assert len({message({"thermal"}), message({"power-brake"})}) == 2
        assert message({"hardware"}) == message({"power-brake"})


class Card:
    """Stands for NVML: what it answers, or the error that it raises."""

    NVMLError = type("NVMLError", (Exception,), {})
    NVML_CLOCK_MEM = "memory"

    def __init__(self, reasons=0, samples=(), clock=0, bits=0):
        self.reasons, self.samples, self.clock, self.bits = reasons, samples, clock, bits

    def nvmlDeviceGetCurrentClocksThrottleReasons(self, handle):
        if self.reasons is None:
            raise self.NVMLError
        return self.reasons

    def nvmlDeviceGetProcessUtilization(self, handle, since):
        return self.samples

    def nvmlDeviceGetMaxClockInfo(self, handle, kind):
        assert kind == self.NVML_CLOCK_MEM
        return self.clock

    def nvmlDeviceGetMemoryBusWidth(self, handle):
        return self.bits


class Sample:
    def __init__(self, pid, load, at):
        self.pid, self.smUtil, self.timeStamp = pid, load, at * 1e6


class TestSensors:
    @pytest.fixture
    def card(self, monkeypatch):
        def put(**answers):
            monkeypatch.setattr(hardware, "pynvml", Card(**answers))
            return NvidiaSensors("handle")

        return put

    @pytest.mark.parametrize(
        ("bits", "throttled", "capped"),
        [
            (0x0, set(), False),
            (0x1, set(), False),  # idle
            (0x2, set(), False),  # clocks that somebody set
            (0x4, set(), True),
            (0x8, {"hardware"}, False),
            (0x20, {"thermal"}, False),
            (0x40, {"thermal"}, False),
            (0x80, {"power-brake"}, False),
            (0x4 | 0x8 | 0x40, {"hardware", "thermal"}, True),
            (None, set(), False),
        ],
    )
    def test_reasons_for_a_low_clock(self, card, bits, throttled, capped):
        sensors = card(reasons=bits)
        assert (sensors.throttled(), sensors.power_capped()) == (throttled, capped)

    def test_only_processes_that_computed_meanwhile_are_busy(self, card):
        sensors = card(samples=[Sample(1, 50, 99.0), Sample(2, 0, 101.0), Sample(3, 7, 101.0)])
        assert sensors.busy_processes(100.0) == {3}

    def test_the_data_sheets_bandwidth(self, card):
        card(clock=3201, bits=6016)
        assert hardware._peak_gbps("handle") == pytest.approx(4814, abs=1)

    def test_a_moment_is_enough_to_be_noticed(self):
        class Once:
            """Throttled and shared at the first look alone."""

            looks = 0

            def throttled(self):
                self.looks += 1
                return {"thermal"} if self.looks == 1 else set()

            def power_capped(self):
                return self.looks == 1

            def busy_processes(self, since):
                if self.looks == 2:
                    seen.set()
                return {1, 2} if self.looks == 1 else set()

        seen = threading.Event()
        with sampled(Once()) as condition:
            assert seen.wait(10)
        assert (condition.throttled, condition.power_capped, others(condition.busy)) == ({"thermal"}, True, 1)


class TestLock:
    def test_free(self, tmp_path):
        node = tmp_path / "nvidia0"
        node.touch()
        with gpu_to_oneself(node, pytest.fail, lambda: None) as waited:
            assert waited == 0.0
            assert not _can_lock(node)
        assert _can_lock(node)

    def test_between_two_measurements_others_can_have_it(self, tmp_path, monkeypatch):
        node = tmp_path / "nvidia0"
        node.touch()
        pauses = []
        monkeypatch.setattr(conditions.time, "sleep", lambda seconds: pauses.append((seconds, _can_lock(node))))
        for _ in range(2):
            with gpu_to_oneself(node, pytest.fail, lambda: None):
                pass
        assert pauses == [(conditions.PAUSE_SECONDS, True)] * 2
        assert conditions.PAUSE_SECONDS > conditions.LOCK_SECONDS  # whoever waits looks at least once meanwhile

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
