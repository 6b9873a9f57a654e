"""The roofline: what memory and arithmetic of this card allow at each intensity, and where this kernel stands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from textual.content import Content

from tritontui.engine.messages import Measurement
from tritontui.i18n import Translator, percent
from tritontui.ui.drawing.plots import Axis, Roof, Series, compact, roofline
from tritontui.ui.speed.scene import Scene, wrapped
from tritontui.ui.widgets.text_view import BLANK, Block, line


@dataclass(frozen=True)
class Card:
    """GB/s and TFLOP/s that a card allows."""

    gbps: float
    measured: bool
    """The bandwidth was measured on it; else it is the datasheet's."""
    fp32: float | None
    tensor: float | None


def rows(scene: Scene, width: int, height: int) -> list[Content]:
    """The plot and a sentence about it, or what is known of the kernel without a card."""
    report = scene.view.report
    measured = report.measurement if report is not None else None
    if measured is None:
        said = wrapped(_without(scene), width)
        return [*said, *_as_recorded(scene, width, max(8, height - len(said)))]
    card = card_of(measured)
    if card is None or not (measured.ideal_flops and measured.ideal_bytes and measured.tflops):
        return wrapped(_unplaced(scene), width)
    foot = wrapped(_said(scene, measured, card), width)
    return [*_plot(scene, measured, card, width, max(8, height - len(foot))), *foot]


def card_of(measured: Measurement) -> Card | None:
    """The card that was measured; None when its bandwidth isn't known."""
    gbps = measured.ceiling_gbps or measured.peak_gbps
    if gbps is None:
        return None
    return Card(gbps, measured.ceiling_gbps is not None, measured.peak_fp32_tflops, measured.peak_tensor_tflops)


def _plot(scene: Scene, measured: Measurement, card: Card, width: int, height: int) -> list[Content]:
    tr = scene.tr
    assert measured.ideal_flops and measured.tflops
    intensity = measured.ideal_flops / measured.ideal_bytes
    points = [Series(tr("yours"), [(intensity, measured.tflops)], "bold $selected", joined=False)]
    if measured.torch_us:
        torch = measured.tflops * measured.median_us / measured.torch_us
        points.append(Series("torch", [(intensity, torch)], "$accent", joined=False))
    return under_roofs(card, points, width, height, tr)


def under_roofs(card: Card, points: Sequence[Series], width: int, height: int, tr: Translator) -> list[Content]:
    """Where ``points``, each (FLOP/byte, TFLOP/s), stand under what the card allows."""

    def write(value: float) -> str:
        return tr.figure(compact(value))

    roofs = [
        Roof(f"{name} {tr.number(tflops, 0 if tflops >= 1000 else 1)} TFLOP/s", tflops)
        for name, tflops in (("fp32", card.fp32), (tr("tensor cores"), card.tensor))
        if tflops
    ]
    memory = (tr("memory {gbps} GB/s", gbps=tr.number(card.gbps)), card.gbps)
    return roofline(memory, roofs, points, Axis("FLOP/byte"), Axis("TFLOP/s"), width, height, write=write)


def _said(scene: Scene, measured: Measurement, card: Card) -> Iterator[Block]:
    """Which roof is above the kernel, and how much of it was reached."""
    tr = scene.tr
    assert measured.ideal_flops and measured.tflops
    intensity = measured.ideal_flops / measured.ideal_bytes
    allowed = intensity * card.gbps / 1e3
    ridge = card.fp32 * 1e3 / card.gbps if card.fp32 else None
    here = f"{scene.number(intensity)} FLOP/byte"
    if ridge is None or intensity < ridge:
        share = percent(measured.tflops / allowed)
        words = tr("{here}: memory is the roof here, and {share} of it is reached.", here=here, share=share)
    else:
        words = tr(
            "{here}: arithmetic is the roof here, beyond the ridge at {ridge}.", here=here, ridge=scene.number(ridge)
        )
    yield line(words)
    source = tr("Memory as measured on this card") if card.measured else tr("Memory by the datasheet")
    yield line((source + tr("; arithmetic at the highest clock, which no kernel quite reaches."), "$muted"))


def _without(scene: Scene) -> Iterator[Block]:
    tr, report = scene.tr, scene.view.report
    needs = tr("Not measured: it needs a GPU.") if scene.status.gpu is None else tr("Not measured yet.")
    yield line((needs, "bold"))
    work = report.workload if report is not None else None
    if work is None:
        return
    if not (work.bytes and work.flops):
        yield from _unplaced(scene)
        return
    yield BLANK
    intensity = work.flops / work.bytes
    words = tr(
        "Its place from left to right is known: {flops} GFLOP over {bytes} MB are {intensity} FLOP/byte.",
        flops=tr.number(work.flops / 1e9, 2),
        bytes=tr.number(work.bytes / 1e6, 1),
        intensity=scene.number(intensity),
    )
    yield line(words)
    yield line((tr("How high it stands, and how high the roofs are, needs a card."), "$muted"))


def _as_recorded(scene: Scene, width: int, height: int) -> list[Content]:
    """The roofs of the course's card, and how high this kernel could stand under them at most."""
    recorded = scene.recorded
    work = scene.view.report.workload if scene.view.report is not None else None
    gbps = recorded.card.get("copy_gbps") or recorded.card.get("peak_gbps") if recorded is not None else None
    if recorded is None or gbps is None or work is None or not (work.bytes and work.flops):
        return []
    intensity = work.flops / work.bytes
    fp32, tensor = recorded.card.get("peak_fp32_tflops"), recorded.card.get("peak_tensor_tflops")
    most = min([intensity * gbps / 1e3, *([fp32] if fp32 else [])])
    name = scene.tr("at most, on an {gpu} (recorded)", gpu=recorded.gpu)
    points = [Series(name, [(intensity, most)], "bold $selected", joined=False)]
    return under_roofs(Card(gbps, True, fp32, tensor), points, width, height, scene.tr)


def _unplaced(scene: Scene) -> Iterator[Block]:
    yield line((scene.tr("This exercise counts no arithmetic, so its kernel has no place on a roofline."), "$muted"))
