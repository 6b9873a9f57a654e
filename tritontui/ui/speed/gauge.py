"""The measurement itself: against this card's ceiling and its datasheet, PyTorch beside it, and what must be said."""

from __future__ import annotations

from collections.abc import Iterator

from textual.content import Content

from tritontui.engine.messages import Measurement
from tritontui.i18n import percent
from tritontui.ui.drawing.plots import Bar, bars, gauge
from tritontui.ui.speed.scene import Scene, refusal, remark, wrapped
from tritontui.ui.widgets.text_view import BLANK, Block, line

WIDEST = 60
LEAST = 30
"""Columns of a bar that has its words behind it."""
SHARE = 7
"""Columns for a share behind a bar."""


def rows(scene: Scene, width: int, height: int) -> list[Content]:  # noqa: ARG001 - as every section's
    """A measurement, or why there is none."""
    report = scene.view.report
    measured = report.measurement if report is not None else None
    if measured is None:
        return wrapped(_not_measured(scene), width)
    return wrapped(_measured(scene, measured, width), width)


def _not_measured(scene: Scene) -> Iterator[Block]:
    tr, view = scene.tr, scene.view
    report = view.report
    state = report.stages.get("measure") if report is not None else None
    if view.verdict == "fail" and not (report is not None and report.merely_slow):
        yield from refusal(scene, "wrong")
        return
    if report is not None and view.running and state == "running":
        waiting = any(finding.id == "gpu-waiting" for finding in report.findings)
        words = tr("Another measurement has the GPU; this one begins when it is done.")
        yield line(("… ", "$accent"), (words if waiting else tr("Measuring now."), "$accent"))
    elif report is not None and report.skipped.get("measure") == "no-case":
        yield line((tr("This exercise isn't measured."), "bold"))
    elif scene.status.gpu is None:
        yield line((tr("Not measured: it needs a GPU."), "bold"))
        words = tr("Interpreting a kernel on the CPU says nothing about its speed, so no figure is shown.")
        yield line((words, "$muted"))
    else:
        yield line((tr("Not measured yet."), "bold"))
        yield line((tr("{key} measures it.", key=scene.run_key), "$muted"))
    yield from _known_anyway(scene)


def _known_anyway(scene: Scene) -> Iterator[Block]:
    """What needs no GPU: the traffic, the arithmetic, and the compiler's word on occupancy."""
    tr, report = scene.tr, scene.view.report
    if report is None or (report.workload is None and report.compiler is None):
        return
    yield BLANK
    yield line((tr("What is known without one"), "bold"))
    names, values = [], []
    if report.workload is not None:
        work = report.workload
        if work.bytes:
            names.append(tr("to be moved"))
            values.append(f"{tr.number(work.bytes / 1e6, 1)} MB  ({work.case})")
        if work.flops:
            names.append(tr("to be computed"))
            values.append(f"{tr.number(work.flops / 1e9, 2)} GFLOP")
        if (traced := _traced(scene)) is not None:
            names.append(tr("in the trace"))
            values.append(traced)
        if work.flops and work.bytes:
            names.append(tr("intensity"))
            values.append(f"{scene.number(work.flops / work.bytes)} FLOP/byte")
    if report.compiler is not None:
        names.append(tr("registers per thread"))
        values.append(str(report.compiler.registers or "?"))
        if report.compiler.occupancy is not None:
            names.append(tr("occupancy"))
            values.append(f"{percent(report.compiler.occupancy)} ({report.compiler.target})")
    longest = max(map(len, names)) + 2
    for name, value in zip(names, values, strict=True):
        yield line((name.ljust(longest), "$muted"), value, indent=2)


def _traced(scene: Scene) -> str | None:
    """What the kernel moved in the traced case, beside what had to move there; None where one isn't known."""
    report = scene.view.report
    if report is None or not report.traced_bytes or not report.traced_ideal_bytes:
        return None
    return scene.tr(
        "{moved} kB moved, where {ideal} kB have to",
        moved=scene.tr.number(report.traced_bytes / 1e3, 1),
        ideal=scene.tr.number(report.traced_ideal_bytes / 1e3, 1),
    )


def _measured(scene: Scene, measured: Measurement, width: int) -> Iterator[Block]:
    tr = scene.tr
    where = f"   {measured.case} · {measured.gpu or measured.device}"
    computes = measured.tflops is not None and _arithmetic_rules(measured)
    if computes or not measured.gbps:
        headline = f"{scene.number(measured.tflops or 0.0)} TFLOP/s" if measured.tflops else _time(scene, measured)
    else:
        headline = f"{tr.number(measured.gbps)} GB/s"
    yield line((headline, "bold $primary"), (where, "$muted"))
    if scene.view.stale:
        yield line(("! ", "bold $warning"), (tr("This is about an earlier text."), "italic $warning"))
    yield from _against(scene, measured, width)
    yield BLANK
    yield from _beside_torch(scene, measured, width)
    yield BLANK
    yield from _facts(scene, measured)
    for finding in measured.remarks:
        yield BLANK
        yield from remark(finding, scene)


def _arithmetic_rules(measured: Measurement) -> bool:
    """Whether the fp32 roof is reached before the memory's: the intensity lies beyond their ridge."""
    if not (measured.ideal_flops and measured.ideal_bytes and measured.peak_fp32_tflops):
        return False
    bandwidth = measured.ceiling_gbps or measured.peak_gbps
    if bandwidth is None:
        return False
    return measured.ideal_flops / measured.ideal_bytes > measured.peak_fp32_tflops * 1e3 / bandwidth


def _against(scene: Scene, measured: Measurement, width: int) -> Iterator[Block]:
    """Bars of one length: shares of the ceiling, of the datasheet's peak, of the arithmetic's where it rules."""
    tr = scene.tr
    levels: list[tuple[float, float, str, str]] = []
    if measured.ceiling_gbps and measured.gbps:
        words = tr("of this card's ceiling for such traffic: {gbps} GB/s", gbps=tr.number(measured.ceiling_gbps))
        levels.append((measured.gbps, measured.ceiling_gbps, words, "$primary"))
    if measured.peak_gbps and measured.gbps:
        words = tr("of the datasheet's peak: {gbps} GB/s", gbps=tr.number(measured.peak_gbps))
        levels.append((measured.gbps, measured.peak_gbps, words, "$secondary"))
    if measured.tflops and _arithmetic_rules(measured):
        for name, peak in (("fp32", measured.peak_fp32_tflops), (tr("tensor cores"), measured.peak_tensor_tflops)):
            if peak:
                words = tr("of {roof} at most: {tflops} TFLOP/s", roof=name, tflops=scene.number(peak))
                levels.append((measured.tflops, peak, words, "$secondary"))
    longest = max((len(words) for *_, words, _ in levels), default=0)
    beside = width >= longest + LEAST + SHARE
    cells = min(WIDEST, width - SHARE - (longest if beside else 0))
    for value, level, words, style in levels:
        bar, share = gauge(value / level, cells), f" {percent(value / level):>4} "
        yield line((bar, style), (share, "bold"), (words if beside else "", "$muted"))
        if not beside:
            yield line((words, "$muted"))


def _beside_torch(scene: Scene, measured: Measurement, width: int) -> Iterator[Block]:
    tr = scene.tr
    lines = [(tr("yours"), measured.median_us, measured.gbps)]
    if measured.torch_us is not None:
        lines.append(("torch", measured.torch_us, measured.torch_gbps or 0.0))

    def words(microseconds: float, gbps: float) -> str:
        return f"{scene.number(microseconds)} µs" + (f"  {tr.number(gbps)} GB/s" if gbps else "")

    styles = ("$primary", "$secondary")
    drawn = [Bar(name, 1 / us, words(us, gbps), style) for (name, us, gbps), style in zip(lines, styles, strict=False)]
    longest = max(len(bar.name) for bar in drawn) + max(len(bar.words) for bar in drawn) + 2
    for row in bars(drawn, max(1, min(WIDEST, width - longest))):
        yield Block(row)


def _facts(scene: Scene, measured: Measurement) -> Iterator[Block]:
    tr = scene.tr
    spread = tr(
        "median {median} µs, from {low} to {high} (quantiles 0.2 and 0.8)",
        median=scene.number(measured.median_us),
        low=scene.number(measured.low_us),
        high=scene.number(measured.high_us),
    )
    yield line((spread, "$muted"))
    if measured.host_us is not None:
        words = tr("a call takes {time} µs of the host, the GPU not waited for", time=scene.number(measured.host_us))
        yield line((words, "$muted"))
    if measured.ideal_bytes:
        megabytes = tr("{megabytes} MB have to move", megabytes=tr.number(measured.ideal_bytes / 1e6, 1))
        more = f" · {scene.number(measured.tflops)} TFLOP/s" if measured.tflops else ""
        yield line((megabytes + more, "$muted"))
    if (traced := _traced(scene)) is not None:
        yield line((f"{tr('in the trace')}: {traced}", "$muted"))


def _time(scene: Scene, measured: Measurement) -> str:
    return f"{scene.number(measured.median_us)} µs"
