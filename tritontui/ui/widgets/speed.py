"""Speed: measured bandwidth against the card's own ceiling, PyTorch beside it, and why a figure may mislead."""

from __future__ import annotations

from collections.abc import Iterator

from textual.content import Content

from tritontui.diagnosis import explain
from tritontui.engine.messages import Measurement
from tritontui.engine.report import Report
from tritontui.ui.controller import View
from tritontui.ui.plots import gauge
from tritontui.ui.widgets.text_view import BLANK, Block, TextView, line
from tritontui.ui.words import SIGNS, prose


class SpeedView(TextView):
    """Draws a measurement, or says why there is none."""

    def show(self, view: View) -> None:
        """Show this run."""
        report = view.report
        if report is None or report.measurement is None:
            self.show_blocks(self._not_measured(report, view))
        else:
            self.show_blocks(self._measured(report.measurement))

    def _not_measured(self, report: Report | None, view: View) -> Iterator[Block]:
        yield line((self.tr("Not measured"), "bold"))
        reason = report.skipped.get("measure") if report is not None else None
        status = self.triton.engine_status
        if report is not None and view.running and report.stages.get("measure") == "running":
            yield line((self.tr("Measuring now."), "$accent"))
        elif status.gpu is None:
            yield line((self.tr("There is no GPU here that could be measured."), "$muted"))
            yield BLANK
            words = self.tr("Interpreting a kernel on the CPU says nothing about its speed, so no figure is shown.")
            yield line((words, "$muted"))
            yield line((self.tr("What the compiler made of it stands under Compiler."), "$muted"))
        elif reason is not None or view.verdict == "fail":
            yield line((self.tr("A kernel is measured once it is right."), "$muted"))
        else:
            yield line((self.tr("{key} measures it.", key=self.key_of("run")), "$muted"))

    def _measured(self, measured: Measurement) -> Iterator[Block]:
        ceiling = measured.ceiling_gbps or measured.peak_gbps
        yield line(
            (f"{measured.gbps:,.0f} GB/s", "bold $primary"),
            (f"   {measured.case} · {measured.device}", "$muted"),
        )
        if ceiling:
            share = measured.gbps / ceiling
            yield line((gauge(share), "$primary"), (f" {share:.0%}", "bold"))
            yield line((self._ceiling_words(measured), "$muted"))
        yield BLANK
        yield from self._comparison(measured)
        for remark in measured.remarks:
            words = explain(remark, self.language)
            sign, style = SIGNS[remark.severity]
            yield BLANK
            yield Block(Content.assemble((f"{sign} ", style), prose(words.title, "bold")), rest=Content("  "))
            yield Block(prose(words.message), first=Content("  "), rest=Content("  "))

    def _ceiling_words(self, measured: Measurement) -> str:
        parts = []
        if measured.ceiling_gbps:
            parts.append(
                self.tr("this card's ceiling for such traffic: {gbps} GB/s", gbps=f"{measured.ceiling_gbps:,.0f}")
            )
        if measured.peak_gbps:
            parts.append(self.tr("datasheet: {gbps} GB/s", gbps=f"{measured.peak_gbps:,.0f}"))
        return " · ".join(parts)

    def _comparison(self, measured: Measurement) -> Iterator[Block]:
        bandwidths = [(self.tr("yours"), measured.median_us, measured.gbps)]
        if measured.torch_us is not None and measured.torch_gbps is not None:
            bandwidths.append((self.tr("torch"), measured.torch_us, measured.torch_gbps))
        top = max(gbps for _, _, gbps in bandwidths)
        width = max(len(name) for name, _, _ in bandwidths)
        for name, microseconds, gbps in bandwidths:
            bar = gauge(gbps / top, 20) if top else ""
            yield line(
                (f"{name:<{width}}  ", "$muted"), (bar, "$secondary"), f"  {microseconds:,.1f} µs  {gbps:,.0f} GB/s"
            )
        yield BLANK
        spread = self.tr(
            "median {median} µs, from {low} to {high} (quantiles 0.2 and 0.8)",
            median=f"{measured.median_us:,.1f}",
            low=f"{measured.low_us:,.1f}",
            high=f"{measured.high_us:,.1f}",
        )
        yield line((spread, "$muted"))
        yield line((self.tr("{megabytes} MB have to move", megabytes=f"{measured.ideal_bytes / 1e6:,.1f}"), "$muted"))
        if measured.tflops is not None:
            yield line((f"{measured.tflops:,.1f} TFLOP/s", "$muted"))
