"""Speed: how fast the kernel is, in sections: gauge, history, sizes, blocks, roofline, autotuning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import BindingType
from textual.content import Content

from tritontui.course.model import ExerciseFolder
from tritontui.ui.bindings import bindings_of
from tritontui.ui.messages import Measure
from tritontui.ui.runs.controller import View
from tritontui.ui.speaking import OfTheCourse
from tritontui.ui.speed.recorded import Recorded, recorded_of
from tritontui.ui.speed.scene import Scene
from tritontui.ui.speed.sections import SECTIONS, Place, Section
from tritontui.ui.widgets.drawn_rows import DrawnRows


class SpeedView(OfTheCourse, DrawnRows):
    """One section at a time. Left and right turn; the rest is the section's."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("speed")

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.section: Section = SECTIONS[0]
        self._view = View()
        self._cursors: dict[str, Place] = {}
        """By section, once it was moved."""
        self._recordings: dict[tuple[str, frozenset[str]], Recorded | None] = {}
        self._over_time = False
        self._top = 0
        self._overhang = 0
        """Rows that don't fit."""

    def show(self, view: View) -> None:
        """Show this run."""
        if view.exercise != self._view.exercise:
            self._cursors.clear()
            self._top = 0
        self._view = view
        self.redraw()

    def turn_to(self, section: str) -> None:
        """That section."""
        self.section = next(one for one in SECTIONS if one.id == section)
        self._top = 0
        self.redraw()

    @property
    def _scene(self) -> Scene:
        sweeps, exercise = self.triton.sweeps, self._view.exercise
        kinds = [section.kind for section in SECTIONS if section.kind is not None]
        found = {kind: trial for kind in kinds if (trial := sweeps.trial(kind)) is not None}
        recorded = self._recorded(exercise) if exercise is not None and self.triton.engine_status.gpu is None else None
        bare = Scene(
            tr=self.tr,
            view=self._view,
            run_key=self.key_of("run"),
            text=self.triton.controller.text,
            status=self.triton.engine_status,
            records=self.triton.study.history.measurements(exercise) if exercise is not None else (),
            trials=found if recorded is None else {**recorded.trials, **found},
            recorded=recorded,
            wanted=sweeps.wanted,
            refused=sweeps.refused,
            over_time=self._over_time,
            shaded=not self.triton.terminal.ansi,
        )
        return bare.at(self._cursor(bare))

    def _recorded(self, exercise: ExerciseFolder) -> Recorded | None:
        """Put together once, until another step is done."""
        study = self.triton.study
        key = exercise.id, frozenset(study.done(study.lesson))
        if key not in self._recordings:
            self._recordings = {key: recorded_of(study.lesson, exercise, key[1])}
        return self._recordings[key]

    def _cursor(self, scene: Scene) -> Place:
        """Within what the section has."""
        rows, columns = self.section.shape(scene)
        row, column = self._cursors.get(self.section.id) or self.section.start(scene)
        return min(row, max(rows - 1, 0)), min(column, max(columns - 1, 0))

    # ------------------------------------------------------------ drawing

    def make_rows(self, width: int, height: int) -> Sequence[Content]:
        room = max(1, height - 1)
        rows = self.section.rows(self._scene, width, room)
        self._overhang = max(0, len(rows) - room)
        self._top = min(self._top, self._overhang)
        return [self._tabs(width), *rows[self._top : self._top + room]]

    def _tabs(self, width: int) -> Content:
        parts: list[tuple[str, str]] = []
        for section in SECTIONS:
            name = self.tr(section.name)
            shown = section is self.section
            parts.append((f"[{name}]" if shown else f" {name} ", "bold $primary" if shown else "$muted"))
        tabs = Content.assemble(*parts)
        signs = ("↑" if self._top else "") + ("↓" if self._top < self._overhang else "") + " ←→"
        if self.section.kind is not None:
            running = self.triton.sweeps.running is not None
            signs = (self.tr("x: stop") if running else self.tr("s: try")) + f"  {signs}"
        return Content.assemble(tabs, (signs.rjust(max(len(signs), width - tabs.cell_length)), "$muted"))

    # ------------------------------------------------------------ keys

    def action_turn(self, step: int) -> None:
        """The section beside."""
        place = min(max(SECTIONS.index(self.section) + step, 0), len(SECTIONS) - 1)
        self.turn_to(SECTIONS[place].id)

    def action_move(self, step: int) -> None:
        """Another row to choose; where there is nothing to choose, scroll."""
        scene = self._scene
        rows, _ = self.section.shape(scene)
        if rows > 1:
            self._to(scene, step, 0)
        else:
            self._scroll(step)

    def action_across(self, step: int) -> None:
        """Another column."""
        self._to(self._scene, 0, step)

    def _to(self, scene: Scene, down: int, across: int) -> None:
        rows, columns = self.section.shape(scene)
        row, column = scene.cursor
        self._cursors[self.section.id] = (
            min(max(row + down, 0), max(rows - 1, 0)),
            min(max(column + across, 0), max(columns - 1, 0)),
        )
        self.redraw()

    def action_page(self, direction: int) -> None:
        """A windowful."""
        self._scroll(direction * max(1, self.size.height - 2))

    def _scroll(self, step: int) -> None:
        self._top = min(max(self._top + step, 0), self._overhang)
        self.redraw()

    def action_start(self) -> None:
        """Try what this section shows; where that is no sweep, measure."""
        if self.section.kind is None:
            self.post_message(Measure())
        else:
            self.triton.sweeps.start(self.section.kind)

    def action_stop(self) -> None:
        """End the sweep that runs."""
        self.triton.sweeps.stop()

    def action_clock(self) -> None:
        """Sizes: bandwidth or time."""
        self._over_time = not self._over_time
        self.redraw()
