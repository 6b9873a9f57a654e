"""The device whose times are known: what its two clocks do, and what host code on it sees of them."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from types import ModuleType

import pytest
import torch

from tritontui.runner.no_gpu.as_on_a_gpu import as_on_a_gpu
from tritontui.runner.no_gpu.on_simulated_device import on_simulated_device
from tritontui.runner.no_gpu.simulated_device import LAUNCH_MS, QUEUED_LAUNCHES, SimulatedDevice, Work

QUIET = Work(0.4, compile_milliseconds=0.0, noise=0.0)


def run(tmp_path: Path, source: str, device: SimulatedDevice) -> object:
    """What ``f(fn)`` of ``source`` returns, ``fn`` being the device's function."""
    path = tmp_path / "submission.py"
    path.write_text(source)
    module = ModuleType("submission")
    with as_on_a_gpu():
        exec(compile(source, str(path), "exec"), module.__dict__)
        return on_simulated_device(device, module.f, str(path))(device.call)


def test_a_launch_returns_before_its_work_is_done_and_waiting_waits_for_it():
    device = SimulatedDevice(QUIET)
    begin = device.now
    device.call()
    assert device.now - begin == pytest.approx(LAUNCH_MS)
    assert device.queued == pytest.approx(0.4)
    device.wait()
    assert device.now - begin == pytest.approx(LAUNCH_MS + 0.4)
    assert device.queued == 0


def test_the_first_call_compiles_and_no_other_does():
    device = SimulatedDevice(Work(0.4, compile_milliseconds=78.0, noise=0.0))
    begin = device.now
    device.call()
    first = device.now - begin
    device.call()
    assert (first, device.now - begin - first) == pytest.approx((78.0 + LAUNCH_MS, LAUNCH_MS))


def test_the_host_waits_for_room_in_a_full_queue():
    device = SimulatedDevice(QUIET)
    for _ in range(2 * QUEUED_LAUNCHES):
        device.call()
    begin = device.now
    device.call()
    assert device.now - begin > LAUNCH_MS


def test_what_is_written_in_between_drives_the_data_out_of_the_cache():
    device = SimulatedDevice(Work(0.12, warm_milliseconds=0.04, compile_milliseconds=0.0, noise=0.0))
    device.read()
    for nbytes in (0, 0, 25 * 2**20, 256 * 2**20):
        if nbytes:
            device.touch(nbytes)
        device.call()
    assert [moment.took for moment in device.timed if moment.what == "call"] == pytest.approx([0.12, 0.04, 0.08, 0.12])


def test_a_submission_sees_the_devices_clocks_by_whatever_name(tmp_path):
    source = """
import time
import torch
from time import perf_counter as clock
from torch.cuda import Event, synchronize

def f(fn):
    start, end = Event(enable_timing=True), Event(enable_timing=True)
    began, there = clock(), time.monotonic_ns()
    start.record()
    fn()
    end.record()
    synchronize()
    torch.cuda.current_stream().synchronize()
    return (clock() - began) * 1e3, (time.monotonic_ns() - there) / 1e6, start.elapsed_time(end)
"""
    before = time.perf_counter, time.sleep, torch.cuda.synchronize
    assert run(tmp_path, source, SimulatedDevice(QUIET)) == pytest.approx((0.417, 0.417, 0.415), abs=0.003)
    assert (time.perf_counter, time.sleep, torch.cuda.synchronize) == before


def test_an_event_has_no_time_before_the_device_got_there(tmp_path):
    source = """
import torch

def f(fn):
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    fn()
    end.record()
    return start.elapsed_time(end)
"""
    with pytest.raises(RuntimeError, match="must be completed"):
        run(tmp_path, source, SimulatedDevice(QUIET))


def test_large_tensors_cost_the_device_time_and_no_memory(tmp_path):
    source = """
import torch

def f(fn):
    cache = torch.empty(2**32, dtype=torch.int8, device="cuda")
    cache[:] = 1
    cache.zero_()
    small = torch.tensor([3.0, 1.0, 2.0], device="cuda")
    return cache.is_cuda, small.median().item()
"""
    device = SimulatedDevice(QUIET)
    assert run(tmp_path, source, device) == (True, 2.0)
    assert [(moment.what, moment.line) for moment in device.log] == [("work", 6), ("work", 7)]


def test_other_threads_keep_the_real_clock(tmp_path):
    source = """
import time

def f(fn):
    return time.perf_counter()
"""
    read: list[float] = []

    class Watched(SimulatedDevice):
        def read(self) -> float:
            thread = threading.Thread(target=lambda: read.append(time.perf_counter()))
            thread.start()
            thread.join()
            return super().read()

    began = time.perf_counter()
    simulated = run(tmp_path, source, Watched(QUIET))
    assert began <= read[0] <= time.perf_counter()
    assert isinstance(simulated, float) and simulated > 4000
