"""Measured times, and what an autotuner did."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from tritontui.diagnosis.finding import Finding


class Measurement(Struct, kw_only=True):
    """Times in µs, quantiles 0.2, 0.5, 0.8 of do_bench; bandwidth from ideal bytes, GB/s (1e9)."""

    case: str
    device: str
    median_us: float
    low_us: float
    high_us: float
    ideal_bytes: int
    gbps: float
    ceiling_gbps: float | None
    """This card's measured ceiling for the same read : write mix."""
    peak_gbps: float | None
    torch_us: float | None
    torch_gbps: float | None
    tflops: float | None = None
    remarks: list[Finding] = []
    host_us: float | None = None
    """The other clock: what one call takes of the host, the GPU not waited for."""
    gpu: str = ""
    """The card's name."""
    ideal_flops: int | None = None
    peak_fp32_tflops: float | None = None
    """As in ``GpuInfo``."""
    peak_tensor_tflops: float | None = None


class Workload(Struct, tag=True, kw_only=True):
    """What the measured case has to do at least, wherever it runs: known without a GPU."""

    run: int
    case: str
    bytes: int
    """To and from memory; 0: the exercise doesn't say."""
    flops: int | None = None


class Measured(Struct, tag=True):
    run: int
    measurement: Measurement


class TunedConfig(Struct, kw_only=True):
    """One config of an autotuned kernel."""

    values: dict[str, Any]
    """Its constexprs, and ``num_warps``, ``num_stages``."""
    median_us: float | None = None
    """None: it wasn't run, or there is no GPU."""
    low_us: float | None = None
    high_us: float | None = None
    chosen: bool = False
    pruned: bool = False
    """The learner's own pruning left it out."""
    problem: Finding | None = None
    """Why it can't run on this target: too much shared memory, not compiling…"""


class Tuned(Struct, tag=True, kw_only=True):
    """What ``@triton.autotune`` did: on a GPU with times; else what there is to choose from in the measured case."""

    run: int
    device: str
    kernel: str
    line: int | None
    case: str
    """The case in which it chose: a later one whose key is the same gets the same config."""
    key: dict[str, Any]
    """Arguments whose change makes Triton tune again, with their values here."""
    configs: list[TunedConfig]
    seconds: float | None = None
    """What the tuning took; None where nothing was timed, or an earlier call had chosen already."""
