"""How fast the learner's function is on a GPU, beside PyTorch's own operator and the card's ceilings."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from tritontui.engine.messages import GpuInfo, Measurement
from tritontui.runner.measuring.ceilings import FREE_SHARE, Ceilings, ceilings
from tritontui.runner.measuring.conditions import gpu_to_oneself, remarks, sampled
from tritontui.runner.measuring.hardware import Sensors
from tritontui.runner.measuring.large import check_at_scale, draw, fitting_case
from tritontui.runner.measuring.timing import times_of
from tritontui.runner.spec import Exercise

HOST_CALLS = 20


@dataclass(frozen=True)
class Bench:
    """Where measurements are made, and who is told meanwhile."""

    gpu: GpuInfo
    device: torch.device
    sensors: Sensors
    waiting: Callable[[], None]
    """Called once when another measurement holds this GPU."""
    check_cancelled: Callable[[], None]
    cache_folder: Path | None = None

    def measure(self, exercise: Exercise, function: Callable[..., Any]) -> Measurement:
        """Time ``function`` on the exercise's large case, and PyTorch's own operator after it.

        Raises WrongAtScaleError, and whatever ``function`` raises.
        """
        with gpu_to_oneself(self.sensors.lock_path(), self.waiting, self.check_cancelled) as waited:
            card = ceilings(self.device, self.sensors, self.cache_folder)
            self.check_cancelled()
            try:
                return self._measure(exercise, function, card, waited)
            finally:
                torch.cuda.empty_cache()  # gigabytes that others on this GPU can use

    def allowance(self) -> int:
        """Bytes that a case may take: a share of what is free now."""
        return int(torch.cuda.mem_get_info(self.device)[0]) // FREE_SHARE

    def _measure(self, exercise: Exercise, function: Callable[..., Any], card: Ceilings, waited: float) -> Measurement:
        case = fitting_case(exercise, self.allowance())
        arguments = draw(exercise, case, self.device)
        baseline = exercise.baseline or exercise.reference
        assert baseline is not None  # what has no reference isn't measured
        check_at_scale(exercise, case, function, baseline, arguments)
        with sampled(self.sensors) as condition:
            times = times_of(lambda: function(*arguments))
            torch_times = times_of(lambda: baseline(*arguments))
        host_us = host_time(lambda: function(*arguments), self.device)
        moved = exercise.ideal_bytes(*arguments) if exercise.ideal_bytes else 0
        flops = exercise.ideal_flops(*arguments) if exercise.ideal_flops else None
        return Measurement(
            case=case.name,
            device=str(self.device),
            median_us=times.median,
            low_us=times.low,
            high_us=times.high,
            ideal_bytes=moved,
            gbps=moved / times.median * 1e-3,
            ceiling_gbps=card.for_mix(exercise.reads_per_write) if moved else None,
            peak_gbps=self.gpu.peak_gbps,
            torch_us=torch_times.median,
            torch_gbps=moved / torch_times.median * 1e-3,
            tflops=None if flops is None else flops / times.median * 1e-6,
            host_us=host_us,
            gpu=self.gpu.name,
            ideal_flops=flops,
            peak_fp32_tflops=self.gpu.peak_fp32_tflops,
            peak_tensor_tflops=self.gpu.peak_tensor_tflops,
            remarks=remarks(times, host_us, card.empty_us, moved, self.gpu.l2_bytes, condition, waited),
        )


def host_time(call: Callable[[], object], device: torch.device) -> float:
    """µs that one call takes of the host, the GPU not waited for."""
    torch.cuda.synchronize(device)
    started = time.perf_counter()
    for _ in range(HOST_CALLS):
        call()
    elapsed = time.perf_counter() - started
    torch.cuda.synchronize(device)
    return elapsed / HOST_CALLS * 1e6
