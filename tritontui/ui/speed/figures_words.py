"""Figures of experiments as they are said and drawn: names, units, plots. No widgets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import cycle

from textual.content import Content

from tritontui.course.arithmetic import ExpressionError, measured
from tritontui.course.figures import AxisValue, Figures, FiguresError, Series
from tritontui.course.model import Experiment, Language
from tritontui.i18n import N_, Translator
from tritontui.ui.drawing import plots
from tritontui.ui.drawing.heat_map import Grid, heat_map
from tritontui.ui.speed.roofline import Card, under_roofs

UNITS = {"us": "µs", "low_us": "µs", "high_us": "µs", "host_us": "µs", "loop_us": "µs", "gbps": "GB/s"}
UNITS["tflops"] = "TFLOP/s"

CLOCKS = {
    "us": N_("on the GPU"),
    "host_us": N_("a launch, on the host"),
    "loop_us": N_("in a Python loop"),
    "low_us": N_("quick runs"),
    "high_us": N_("slow runs"),
}
"""Whose clock it is, where a plot has several."""

STYLES = ("$primary", "$secondary", "$accent", "$success", "$warning", "$error")
WIDE = 16
"""An axis whose last value is at least so many times its first is drawn logarithmically."""
HEIGHT = 14


def value_words(value: AxisValue) -> str:
    """``2²⁰`` for a power of two from 1,024 on; other values as they are."""
    if isinstance(value, int) and value >= 1024 and value & (value - 1) == 0:
        return "2" + str(value.bit_length() - 1).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return str(value)


def point_words(experiment: Experiment, entry: str, values: Mapping[str, AxisValue], language: Language) -> str:
    """``fused, n = 2²⁰``: where an entry is measured."""
    [title] = [one.title[language] for one in experiment.entries if one.id == entry]
    return ", ".join([title, *_place(experiment, values, language)])


def _place(experiment: Experiment, values: Mapping[str, AxisValue], language: Language) -> list[str]:
    return [f"{experiment.axis_title(axis, language)} = {value_words(value)}" for axis, value in values.items()]


def plot_rows(
    experiment: Experiment, figures: Figures, width: int, language: Language, tr: Translator
) -> Iterator[Content]:
    """Every plot of the experiment, one under the other."""
    for plot in experiment.plots:
        try:
            found = [measured(expression, {}, figures) for expression in plot.show]
        except ExpressionError:
            continue  # a card on which nothing of it could be measured
        series = [one for one in found if isinstance(one, Series)]
        drawn = list(_plot(series, experiment, width, language, tr)) if series else []
        drawn += _roofline(plot.roofline, experiment, figures, width, language, tr) if plot.roofline else []
        if drawn:
            yield from drawn
            yield Content("")


def _roofline(
    entries: Sequence[str], experiment: Experiment, figures: Figures, width: int, language: Language, tr: Translator
) -> list[Content]:
    """Each point of the entries under the roofs of the card they were measured on; nothing when those aren't known."""
    card = figures.machine.card
    gbps = card.get("copy_gbps") or card.get("peak_gbps")
    if gbps is None:
        return []
    titles = {entry.id: entry.title[language] for entry in experiment.entries}
    points, styles = [], cycle(STYLES)
    for entry in entries:
        try:
            moved, computed = (figures.series(entry, figure).points() for figure in ("gbps", "tflops"))
        except FiguresError:
            continue
        places = [
            (1e3 * tflops / bandwidth, tflops)
            for (_, bandwidth), (_, tflops) in zip(moved, computed, strict=True)
            if bandwidth and tflops
        ]
        points.append(plots.Series(titles[entry], places, next(styles)))
    roofs = Card(gbps, "copy_gbps" in card, card.get("peak_fp32_tflops"), card.get("peak_tensor_tflops"))
    return under_roofs(roofs, points, width, HEIGHT, tr)


def _plot(
    series: Sequence[Series], experiment: Experiment, width: int, language: Language, tr: Translator
) -> Iterator[Content]:
    names = _names(series, experiment, language, tr)
    units = list(dict.fromkeys(UNITS.get(one.name.partition(".")[2], "") for one in series))
    unit = ", ".join(units)

    def write(value: float) -> str:
        return tr.figure(plots.compact(value))

    if any(len(one.axes) == 2 for one in series):
        for one, name in zip(series, names, strict=True):
            if len(one.axes) == 2:
                yield Content.styled(f"{name} · {unit}", "bold")
                yield from heat_map(_grid(one, experiment, language), width, write=write)
    elif all(_is_numeric(one) for one in series):
        [axis] = dict.fromkeys(name for one in series for name in one.axes)
        title = experiment.axis_title(axis, language)
        yield from _curves(series, names, title, unit, width, write)
        yield Content("")
        yield from _table(series, names, title, unit, width, tr)
    else:
        alone = len(series) == 1
        yield Content.styled(f"{names[0]} · {unit}" if alone else unit, "bold")
        yield from plots.bars(list(_bars(series, [""] if alone else names, write)), max(10, width - 40))


def _names(series: Sequence[Series], experiment: Experiment, language: Language, tr: Translator) -> list[str]:
    """Of each series: its entry, the values that were chosen of its axes, and the clock where there are several."""
    titles = {entry.id: entry.title[language] for entry in experiment.entries}
    clocks = len({one.name.partition(".")[2] for one in series}) > 1
    entries = len({one.name.partition(".")[0] for one in series}) > 1
    names = []
    for one in series:
        entry, _, figure = one.name.partition(".")
        parts = [titles[entry]] if entries or not clocks else []
        parts += _place(experiment, one.at_values, language)
        if clocks:
            parts.append(tr(CLOCKS[figure]) if figure in CLOCKS else UNITS[figure])
        names.append(", ".join(parts))
    return names


def _is_numeric(series: Series) -> bool:
    return (
        all(not isinstance(value, str) for values in series.axes.values() for value in values)
        and len(next(iter(series.axes.values()))) > 2
    )


def _curves(
    series: Sequence[Series], names: Sequence[str], axis: str, unit: str, width: int, write: plots.Write
) -> list[Content]:
    drawn, styles = [], cycle(STYLES)
    for one, name in zip(series, names, strict=True):
        points = [(float(at), figure) for (at,), figure in one.points() if figure is not None]
        drawn.append(plots.Series(name, points, next(styles)))
    across = [x for one in drawn for x, _ in one.points]
    up = [y for one in drawn for _, y in one.points]
    return plots.curves(
        drawn,
        plots.Axis(axis, log=_is_wide(across)),
        plots.Axis(unit, log=_is_wide(up)),
        width,
        HEIGHT,
        write=write,
    )


def _table(
    series: Sequence[Series], names: Sequence[str], axis: str, unit: str, width: int, tr: Translator
) -> Iterator[Content]:
    """The same figures, to be read exactly: a row for each value of the axis, as many columns as fit."""
    values = list(dict.fromkeys(at for one in series for (at,), _ in one.points()))
    known = [{at: figure for (at,), figure in one.points()} for one in series]
    heads = [axis, *names]
    rows = [[value_words(at), *(_figure(column.get(at), tr) for column in known)] for at in values]
    cells = [max(len(head), *(len(row[index]) for row in rows)) + 2 for index, head in enumerate(heads)]
    while len(cells) > 2 and sum(cells) > width:
        cells.pop()
    yield Content.styled(
        "".join(f"{head:>{cell}}" for head, cell in zip(heads, cells, strict=False)) + f"  {unit}", "$muted"
    )
    for row in rows:
        first, *others = [f"{text:>{cell}}" for text, cell in zip(row, cells, strict=False)]
        yield Content.assemble((first, "$muted"), "".join(others))


def _figure(value: float | None, tr: Translator) -> str:
    if value is None:
        return "–"
    return tr.figure(f"{value:,.0f}" if value >= 1000 else f"{value:.4g}")


def _is_wide(values: Sequence[float]) -> bool:
    return bool(values) and min(values) > 0 and max(values) >= WIDE * min(values)


def _grid(series: Series, experiment: Experiment, language: Language) -> Grid:
    (row_name, rows), (column_name, columns) = series.axes.items()
    known = dict(series.points())
    return Grid(
        experiment.axis_title(row_name, language),
        experiment.axis_title(column_name, language),
        list(rows),
        list(columns),
        [[known[row, column] for column in columns] for row in rows],
        least=UNITS.get(series.name.partition(".")[2]) == "µs",
    )


def _bars(series: Sequence[Series], names: Sequence[str], write: plots.Write) -> Iterator[plots.Bar]:
    for one, name in zip(series, names, strict=True):
        for (at,), figure in one.points():
            if figure is not None:
                yield plots.Bar(f"{name} {value_words(at)}".lstrip(), figure, write(figure))
