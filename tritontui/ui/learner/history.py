"""What the learner has run: attempts, measurements, experiments, hints asked for."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING

from tritontui.course.model import ExerciseFolder, Experiment
from tritontui.course.records import ExperimentRecord, FiguresSource, MeasurementRecord
from tritontui.ui.learner.ledger import Ledger

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tritontui.course.figures import Figures
    from tritontui.engine.messages import Measurement
    from tritontui.engine.report import Report


class History:
    """Grows with each run; what was there before is read once, when it is first asked for."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._progress = ledger.progress
        self._passed: set[str] = set()
        self._hints: dict[str, int] = {}
        self._measurements: dict[str, list[MeasurementRecord]] = {}
        self._experiments: set[str] | None = None

    # ------------------------------------------------------------ runs

    def record_run(self, report: Report) -> None:
        """A finished run: an attempt, and a measurement when there is one."""
        verdict = report.verdict
        if verdict is None:
            return
        if verdict == "pass":
            self._passed.add(report.exercise)
        findings = [finding.id for finding in report.findings]
        self._ledger.write(self._progress.record_attempt, report.exercise, verdict, findings, report.device)
        if report.measurement is not None and verdict == "pass":
            self._record_measurement(report.exercise, report.measurement)

    def _record_measurement(self, exercise: str, measured: Measurement) -> None:
        from tritontui.engine.gpus import short_name

        card = short_name(measured.gpu) or measured.device
        record = MeasurementRecord(measured.case, card, measured.median_us, measured.gbps, datetime.now().timestamp())
        self._known_measurements(exercise).append(record)
        self._ledger.write(
            self._progress.record_measurement, exercise, record.case, record.device, record.median_us, record.gbps
        )

    def passed(self, exercise: ExerciseFolder) -> bool:
        """Whether the exercise has ever been passed."""
        if exercise.id not in self._passed and self._ledger.read(self._progress.passed, False, exercise.id):
            self._passed.add(exercise.id)
        return exercise.id in self._passed

    def attempt_counts(self) -> dict[str, int]:
        """By exercise how often it was judged."""
        return dict(self._ledger.read(self._progress.attempt_counts, {}))

    # ------------------------------------------------------------ measurements

    def measurements(self, exercise: ExerciseFolder) -> Sequence[MeasurementRecord]:
        """Every measured passing run of the exercise, oldest first."""
        return self._known_measurements(exercise.id)

    def _known_measurements(self, exercise: str) -> list[MeasurementRecord]:
        """Read once: what follows is added here, for its way to the disk takes a while."""
        if exercise not in self._measurements:
            self._measurements[exercise] = list(self._ledger.read(self._progress.measurements, (), exercise))
        return self._measurements[exercise]

    def bests(self) -> dict[str, list[MeasurementRecord]]:
        """By exercise the learner's best on each GPU."""
        return dict(self._ledger.read(self._progress.bests, {}))

    # ------------------------------------------------------------ experiments

    def own_figures(self, experiment: Experiment) -> tuple[Figures, FiguresSource] | None:
        """What the learner's own run of the experiment gave; None, where it gave none that can be shown."""
        from tritontui.course.figures import FiguresError, read_figures  # not for the first frame

        own: ExperimentRecord | None = self._ledger.read(self._progress.experiment, None, experiment.id)
        if own is not None:
            with suppress(FiguresError):
                figures = read_figures(own.figures)
                if figures.matches(experiment.grid):
                    return figures, own.source
        return None

    def record_experiment(self, figures: Figures) -> None:
        """The learner has measured; the step's badge is filled by that."""
        self._experimented().add(figures.experiment)
        self._ledger.write(
            self._progress.record_experiment,
            figures.experiment,
            figures.machine.gpu,
            "measured",
            figures.as_text(),
        )

    def experimented(self, experiment: Experiment) -> bool:
        """Whether the learner has figures of their own."""
        return experiment.id in self._experimented()

    def _experimented(self) -> set[str]:
        if self._experiments is None:
            self._experiments = set(self._ledger.read(self._progress.experimented, frozenset()))
        return self._experiments

    # ------------------------------------------------------------ hints

    def hints(self, exercise: ExerciseFolder) -> int:
        """How many hints of the exercise have been asked for."""
        if exercise.id not in self._hints:
            remembered = self._ledger.read(self._progress.setting, None, f"hints/{exercise.id}")
            self._hints[exercise.id] = int(remembered) if remembered and remembered.isdecimal() else 0
        return self._hints[exercise.id]

    def take_hint(self, exercise: ExerciseFolder, count: int) -> None:
        """``count`` hints are shown now."""
        self._hints[exercise.id] = count
        self._ledger.set_setting(f"hints/{exercise.id}", str(count))
