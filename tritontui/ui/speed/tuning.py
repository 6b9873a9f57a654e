"""What ``@triton.autotune`` chose from: every config with its time, the chosen one, and the key."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from textual.content import Content

from tritontui.diagnosis import explain
from tritontui.engine.messages import Tuned, TunedConfig
from tritontui.ui.drawing.plots import gauge
from tritontui.ui.speed.scene import Scene, wrapped
from tritontui.ui.views.words import prose
from tritontui.ui.widgets.text_view import BLANK, Block, line

CELLS = 12


def tuned(scene: Scene) -> list[Tuned]:
    """By kernel, in the order in which they were seen."""
    return list(scene.view.report.tuned.values()) if scene.view.report is not None else []


def shape(scene: Scene) -> tuple[int, int]:
    """One row a config, over all kernels."""
    return sum(len(one.configs) for one in tuned(scene)), 1


def rows(scene: Scene, width: int, height: int) -> list[Content]:  # noqa: ARG001 - as every section's
    """A table for each autotuned kernel; the selected config's objection in words under it."""
    every = tuned(scene)
    if not every:
        words = scene.tr("This kernel isn't autotuned: nothing chooses between configs.")
        return wrapped([line((words, "$muted"))], width)
    drawn: list[Content] = []
    first = 0
    for one in every:
        drawn += wrapped(_kernel(scene, one, first), width)
        first += len(one.configs)
    return drawn


def _kernel(scene: Scene, one: Tuned, first: int) -> Iterator[Block]:
    tr = scene.tr
    key = ", ".join(f"{name} = {value}" for name, value in one.key.items())
    yield line((one.kernel, "bold $primary"), (f"   {one.case}   ", "$muted"), tr("key: {key}", key=key or "–"))
    if one.seconds is not None:
        yield line((tr("The tuning took {seconds} s.", seconds=tr.number(one.seconds, 2)), "$muted"))
    elif scene.status.gpu is None:
        yield line(
            (tr("Not measured: it needs a GPU. Which of them this target can run, the compiler says."), "$muted")
        )
    names = list(dict.fromkeys(name for config in one.configs for name in config.values))
    widths = {
        name: max(len(name), *(len(str(config.values.get(name, ""))) for config in one.configs)) for name in names
    }
    yield line(("   " + "  ".join(f"{name:>{widths[name]}}" for name in names), "bold $muted"))
    timed = [config.median_us for config in one.configs if config.median_us is not None]
    for number, config in enumerate(one.configs):
        yield _config(scene, config, widths, min(timed, default=None), selected=first + number == scene.cursor[0])
    yield from _objection(scene, one.configs, scene.cursor[0] - first)
    yield BLANK


def _config(scene: Scene, config: TunedConfig, widths: dict[str, int], least: float | None, *, selected: bool) -> Block:
    tr = scene.tr
    sign, style = ("★", "bold $selected") if config.chosen else (" ", "")
    values = "  ".join(f"{config.values.get(name, '')!s:>{width}}" for name, width in widths.items())
    if config.problem is not None:
        said: tuple[str, str] = (f"  ✗ {explain(config.problem, tr.language).title.replace('`', '')}", "$error")
    elif config.pruned:
        said = ("  – " + tr("pruned by your own rule"), "$muted")
    elif config.median_us is not None and least is not None:
        said = (f"  {gauge(least / config.median_us, CELLS)} {scene.number(config.median_us):>7} µs", "$secondary")
    else:
        said = ("  · " + tr("can run"), "$muted")
    return Block(
        Content.assemble(("▸" if selected else " ", "bold $selected"), (sign, style), f" {values}", said).truncate(200),
        rest=Content("   "),
    )


def _objection(scene: Scene, configs: Sequence[TunedConfig], selected: int) -> Iterator[Block]:
    if not 0 <= selected < len(configs):
        return
    problem = configs[selected].problem
    if problem is not None:
        pad = Content("   ")
        yield Block(prose(explain(problem, scene.tr.language).message, "$muted"), first=pad, rest=pad)
