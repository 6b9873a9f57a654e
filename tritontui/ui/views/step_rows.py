"""How one step of a program is drawn: rows of text from a ``Steps`` answer. No widgets, no state."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import prod

from textual.content import Content
from textual.geometry import clamp

from tritontui.diagnosis.finding import Finding
from tritontui.engine.messages import Birth, LaneCell, LaneRow, Lanes, LaunchSummary, NameState, StepLine, Steps
from tritontui.i18n import N_, Translator
from tritontui.ui.map.signs import MASKED, OUT
from tritontui.ui.views.words import lanes_words

HEAD_ROWS = 3
"""Where one stands, the line of code, what it did."""
CELL = 8
"""Characters of a lane, with the blank before it."""
PATH_FROM = 104
"""Width from which the path is shown beside the names."""
PATH_WIDTH = 42
NAME_LEAST, NAME_MOST = 9, 16
TYPE_LEAST, TYPE_MOST = 9, 16
VALUES_SHARE = 0.42
OPS = {"load": N_("load"), "store": N_("store"), "atomic": N_("atomic")}
SPECIAL = {"nan": "NaN", "inf": "inf"}
CHANGED = "•"
CURSOR = "▸"

Part = str | Content | tuple[str, str]


@dataclass(frozen=True)
class Room:
    """How a width and a height are shared out."""

    width: int
    """Of names and lanes."""
    path: int
    """Rows of the path; 0: it isn't shown."""
    names: int
    lanes: int
    columns: int
    """Lanes in a row: a power of two."""

    @classmethod
    def of(cls, width: int, height: int) -> Room:
        beside = width >= PATH_FROM
        left = width - PATH_WIDTH if beside else width
        below = max(0, height - HEAD_ROWS)
        lanes = 1 if below < 8 else 2 if below < 16 else 4 if below < 22 else 8
        apart = 2 if below < 11 else 3
        columns = 1
        while columns * 2 * CELL + 6 <= left:
            columns *= 2
        return cls(left, below if beside else 0, max(1, below - lanes - apart), lanes, columns)


class StepRows:
    """Draws one answer about a launch; ``code`` colours a line of it.

    ``elsewhere``: the NaN that the verdict tells of, where it is born in another case than the one stepped through.
    """

    def __init__(
        self,
        answer: Steps,
        launch: LaunchSummary,
        tr: Translator,
        code: Callable[[str], Content],
        elsewhere: Finding | None = None,
    ) -> None:
        assert answer.here is not None
        self.answer = answer
        self.here: StepLine = answer.here
        self.programs = prod(launch.grid)
        self.tensors = {tensor.name: tensor for tensor in launch.tensors}
        self.tr = tr
        self.code = code
        self.elsewhere = elsewhere

    # ------------------------------------------------------------ the head

    def head(self) -> list[Content]:
        """Three rows."""
        return [self._place(), self._line(), self._happened()]

    def _place(self) -> Content:
        tr, answer = self.tr, self.answer
        step = tr("step {step} of {total}", step=answer.step + 1, total=answer.total)
        program = tr("program {program} of {programs}", program=answer.program, programs=self.programs)
        parts: list[Part] = [
            (step, "bold $primary"),
            (f"  {program}", "bold"),
            (f"  {' › '.join(answer.calls)}", "$muted"),
        ]
        for birth in answer.births:
            style = "bold $error" if birth.step <= answer.step else "$muted"
            parts.append((f"   {self._birth(birth)}", style))
        if self.elsewhere is not None:
            parts.append((f"   {self._born_elsewhere(self.elsewhere)}", "$warning"))
        if not answer.complete and answer.step == answer.total - 1:
            parts.append(("   " + tr("no room for later steps"), "$warning"))
        return Content.assemble(*parts)

    def _birth(self, birth: Birth) -> str:
        words = self.tr("{what} from step {step} on", what=SPECIAL[birth.what], step=birth.step + 1)
        return f"{words} ({birth.name})"

    def _born_elsewhere(self, finding: Finding) -> str:
        what = str(finding.params.get("value", "nan"))
        return self.tr("{what} only in the case {case}", what=SPECIAL.get(what, what), case=finding.case)

    def _line(self) -> Content:
        number = f"{self.here.line:>4} " if self.here.line else "     "
        return Content.assemble((number, "bold $accent"), self.code(self.here.text))

    def _happened(self) -> Content:
        """What the line did, in words."""
        parts = [Content("     "), *self._parts_of_what_happened()]
        return Content.assemble(*parts)

    def _parts_of_what_happened(self) -> Iterator[Content]:
        tr, here = self.tr, self.here
        said = self._control()
        if said:
            yield Content.styled(said, "$secondary")
        elif here.iteration:
            yield Content.styled(tr("round {rounds}", rounds=_rounds(here)), "$muted")
        first = not (said or here.iteration)
        for text in (*self._touched(), *self._changes()):
            yield text if first else Content.assemble(("  ", ""), text)
            first = False

    def _control(self) -> str:
        """What became of a condition, a loop, a function."""
        tr, here, taken = self.tr, self.here, self.answer.taken
        if here.kind == "enter":
            return tr("the kernel begins") if not here.depth else tr("into {function}", function=here.function)
        if here.kind == "return":
            return tr("the program ends here") if not here.depth else tr("back from {function}", function=here.function)
        if here.kind == "stopped":
            return tr("the kernel stops here: see Verdict")
        if here.kind == "loop":
            return tr("round {rounds} begins", rounds=_rounds(here))
        if here.kind == "branch" and here.text.startswith(("for ", "while ")):
            return tr("one more round") if taken else tr("the loop ends")
        if here.kind == "branch":
            return tr("true for this program") if taken else tr("false for this program")
        return ""

    def _touched(self) -> Iterator[Content]:
        for access in self.answer.touched:
            parts: list[Part] = [f"{self.tr(OPS[access.op])} {access.tensor}: "]
            parts.append(self.tr.plural("{n} lane", "{n} lanes", access.on))
            if access.off:
                parts.append((f"  {MASKED} {self.tr('{n} masked off', n=access.off)}", "$accent"))
            if access.out:
                parts.append((f"  {OUT} {self.tr('{n} outside', n=access.out)}", "bold $error"))
            yield Content.assemble(*parts)

    def _changes(self) -> Iterator[Content]:
        for state in self.answer.names:
            if state.born != self.answer.step or self.here.kind in ("enter", "loop") or not _is_block(state):
                continue
            if state.new:
                continue
            total = _lanes(state)
            words = (
                self.tr("{name}: nothing changes", name=state.name)
                if not state.changed
                else self.tr("{name}: all lanes change", name=state.name)
                if state.changed == total
                else self.tr(
                    "{name}: {n} of {total} lanes change ({lanes})",
                    name=state.name,
                    n=state.changed,
                    total=total,
                    lanes=lanes_words(state.changed_ranges[:3]) + ("…" if len(state.changed_ranges) > 3 else ""),
                )
            )
            yield Content(words)

    # ------------------------------------------------------------ names

    def top_of_names(self, selected: str | None, rows: int, top: int) -> int:
        """The first name in view: ``top`` while the selected one is in view then, for rows that move cost bytes.

        Some rows are left free for names to come.
        """
        names = [state.name for state in self.answer.names]
        at = names.index(selected) if selected in names else len(names) - 1
        spare = rows // 3
        if not top <= at < top + rows:
            top = at - (rows - 1 - spare if at >= top else spare)
        return max(0, min(top, len(names) - rows + spare))

    def names(self, selected: str | None, top: int, rows: int, width: int) -> list[Content]:
        """A row for each name, from ``top`` on; columns move only where long names ask for it."""
        states = self.answer.names
        shown = states[top : top + rows]
        name_width = clamp(max((len(state.name) for state in states), default=0), NAME_LEAST, NAME_MOST)
        type_width = clamp(max((len(_type(state)) for state in states), default=0), TYPE_LEAST, TYPE_MOST)
        values_width = int((width - name_width - type_width - 5) * VALUES_SHARE)
        return [
            Content.assemble(
                (CURSOR if state.name == selected else " ", "bold $selected"),
                (CHANGED if state.born == self.answer.step else " ", "bold $accent"),
                (f"{_cut(state.name, name_width):<{name_width}} ", "bold" if state.born == self.answer.step else ""),
                (f"{_cut(_type(state), type_width):>{type_width}} ", "$muted"),
                *self._value(state, values_width),
            )
            for state in shown
        ]

    def _value(self, state: NameState, width: int) -> Iterator[Part]:
        if not _is_block(state):
            yield " ".join(state.values)
            if state.before and state.changed:
                yield f"  {self.tr('was {value}', value=state.before)}", "$muted"
            yield from self._on_the_host(state)
            return
        if state.trues is not None:
            yield self.tr("{n} of {total} true", n=state.trues, total=_lanes(state)).ljust(width)
        elif state.lowest == state.highest and not state.nans:
            yield self.tr("all {value}", value=state.lowest or "?").ljust(width)
        else:
            yield _some(state.values, width).ljust(width)
            yield f"  {state.lowest} … {state.highest}", "$muted"
        for count, what in ((state.nans, "NaN"), (state.infinities, "inf")):
            if count:
                yield f"  {count} {what}", "bold $error"
        if state.off:
            yield f"  {MASKED} {self.tr('{n} masked off', n=state.off)}", "$accent"

    def _on_the_host(self, state: NameState) -> Iterator[Part]:
        """What the host knows of the tensor that this parameter points to, and the kernel doesn't."""
        tensor = self.tensors.get(state.name)
        if tensor is not None and state.dtype.startswith("*"):
            shape, stride = (str(tuple(axes)) for axes in (tensor.shape, tensor.stride))
            yield f"  {self.tr('host: shape {shape}, stride {stride}', shape=shape, stride=stride)}", "$muted"

    # ------------------------------------------------------------ lanes

    def lanes(self) -> list[Content]:
        """The selected lane, and its neighbours in rows."""
        lanes = self.answer.lanes
        if lanes is None:
            return []
        if lanes.total == 1:
            return []
        return [self._lane(lanes), *(self._lane_row(row, lanes) for row in lanes.rows)]

    def _lane(self, lanes: Lanes) -> Content:
        index = f" [{', '.join(map(str, lanes.index))}]" if len(lanes.index) > 1 else ""
        cell = next(cell for row in lanes.rows for lane, cell in enumerate(row.cells, row.lane) if lane == lanes.lane)
        parts: list[Part] = [
            (f"{lanes.name} ", "bold"),
            (self.tr("lane {lane} of {total}", lane=f"{lanes.lane}{index}", total=lanes.total), "$muted"),
            ("  = ", "$muted"),
            (lanes.exact, "bold $error" if cell.special else "bold"),
        ]
        if cell.state == "off":
            parts.append((f"  {MASKED} {self.tr('masked off')}", "$accent"))
        elif cell.state == "out":
            parts.append((f"  {OUT} {self.tr('outside')}", "bold $error"))
        return Content.assemble(*parts)

    def _lane_row(self, row: LaneRow, lanes: Lanes) -> Content:
        label = str(row.lane) if len(row.index) < 2 else f"{','.join(map(str, row.index))}"
        parts: list[Part] = [(f"{_cut(label, 5):>5} ", "$muted")]
        for lane, cell in enumerate(row.cells, row.lane):
            text, style = _cell(cell)
            if lane == lanes.lane:
                style = f"{style} reverse".strip()
            parts += [" ", (f"{_cut(text, CELL - 1):>{CELL - 1}}", style)]
        return Content.assemble(*parts)

    # ------------------------------------------------------------ the path

    def path(self) -> list[Content]:
        """The steps around this one."""
        return [self._path_row(line) for line in self.answer.lines]

    def _path_row(self, line: StepLine) -> Content:
        here = line.step == self.answer.step
        number = f"{line.line:>4} " if line.line else "   · "
        text = self.code(line.text)
        return Content.assemble(
            (CURSOR if here else " ", "bold $selected"),
            (number, "bold $accent" if here else "$muted"),
            "  " * line.depth,
            text if here else text.stylize("dim"),
        )


def _rounds(line: StepLine) -> str:
    """``2``, in a loop within a loop ``2.5``: counted from 1."""
    return ".".join(str(number + 1) for number in line.iteration)


def _is_block(state: NameState) -> bool:
    return bool(state.shape) and state.dtype != "descriptor"


def _lanes(state: NameState) -> int:
    total = 1
    for axis in state.shape:
        total *= axis
    return total


def _type(state: NameState) -> str:
    return f"{'×'.join(map(str, state.shape))} {state.dtype}".strip() if state.shape else state.dtype


def _cell(cell: LaneCell) -> tuple[str, str]:
    if cell.state == "off":
        return MASKED, "$accent"
    if cell.state == "out":
        return OUT, "bold $error"
    if cell.special:
        return cell.text, "bold $error"
    text = {"true": "1", "false": "0"}.get(cell.text, cell.text)
    return text, "bold" if cell.changed else ""


def _some(values: Sequence[str], width: int) -> str:
    """As many of the first values as fit, and a sign that there are more."""
    text = ""
    for value in values:
        longer = f"{text} {value}".strip()
        if len(longer) + 2 > width:
            break
        text = longer
    return f"{text} …".strip()


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: max(0, width - 1)] + "…"
