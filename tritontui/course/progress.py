"""What a learner has done, in one SQLite file.

Home directories are often on NFS, and two sessions may be open at once: a rollback journal (WAL needs shared memory),
a busy timeout, and short transactions that each say one thing.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tritontui.course.model import Task
from tritontui.course.records import (
    AnswerRecord,
    AttemptRecord,
    ExperimentRecord,
    FiguresSource,
    MeasurementRecord,
    Position,
    PredictionRecord,
)
from tritontui.course.schema import NewerFileError, migrate
from tritontui.course.storage import StorageError, make_folder

BUSY_TIMEOUT_S = 5.0

OTHER_PYTHON = "doctor/python"
"""Setting: the last Python, other than the application's own, in which the doctor found all well."""
MENDED_PYTHON = "doctor/mended"
"""Setting: the last one made to be mended, in which the doctor found all well."""
OWN_TRACE = "trace/script"
"""Setting: the last script in whose launches ``tritontui trace`` found no error."""
DONE_OUTSIDE: Mapping[Task, str] = {
    "another-python": OTHER_PYTHON,
    "mended-python": MENDED_PYTHON,
    "own-trace": OWN_TRACE,
}
"""By task the setting that says with what it was done."""


class Progress:
    """Open (or begin) the progress file at ``path``. Every method may raise StorageError.

    A file that is damaged, or was written by a newer tritontui, is renamed aside (``set_aside`` says where) and a
    fresh one begun: the learner can go on, and nothing is deleted. May be used from several threads.
    """

    def __init__(self, path: Path, clock: Callable[[], float] = time.time) -> None:
        self.path = path
        self.set_aside: Path | None = None
        self._clock = clock
        self._lock = threading.Lock()
        make_folder(path.parent)
        self._connection = self._open()
        self._file = self._identity()

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    # ------------------------------------------------------------ steps

    def mark_done(self, lesson: str, step: str) -> None:
        self._write("INSERT OR IGNORE INTO done VALUES (?, ?, ?)", lesson, step, self._clock())

    def done(self, lesson: str) -> frozenset[str]:
        """Ids of the steps of ``lesson`` that are done."""
        return frozenset(step for (step,) in self._read("SELECT step FROM done WHERE lesson = ?", lesson))

    def forget(self, lesson: str) -> None:
        """Take back every step, answer and prediction of ``lesson``; attempts and measurements stay as history."""
        self._write("DELETE FROM done WHERE lesson = ?", lesson)
        self._write("DELETE FROM answers WHERE lesson = ?", lesson)
        self._write("DELETE FROM predictions WHERE lesson = ?", lesson)

    def position(self) -> Position | None:
        """Where the learner left, or None on a first visit."""
        value = self.setting("position")
        lesson, _, step = (value or "").partition("/")
        return Position(lesson, step) if lesson and step else None

    def set_position(self, lesson: str, step: str) -> None:
        self.set_setting("position", f"{lesson}/{step}")

    # ------------------------------------------------------------ history

    def record_answer(self, lesson: str, step: str, question: str, given: str, correct: bool) -> None:
        sql = "INSERT INTO answers (lesson, step, question, given, correct, at) VALUES (?, ?, ?, ?, ?, ?)"
        self._write(sql, lesson, step, question, given, int(correct), self._clock())

    def answered(self, lesson: str, step: str, since: float = 0.0) -> frozenset[str]:
        """Ids of the questions of a step that were answered right at least once since then (seconds since 1970)."""
        sql = "SELECT DISTINCT question FROM answers WHERE lesson = ? AND step = ? AND correct AND at >= ?"
        return frozenset(question for (question,) in self._read(sql, lesson, step, since))

    def answers(self) -> list[AnswerRecord]:
        """Every answer, oldest first."""
        sql = "SELECT lesson, step, question, given, correct, at FROM answers ORDER BY id"
        return [
            AnswerRecord(lesson, step, question, given, bool(correct), at)
            for lesson, step, question, given, correct, at in self._read(sql)
        ]

    def record_attempt(self, exercise: str, verdict: str, findings: list[str], device: str) -> None:
        sql = "INSERT INTO attempts (exercise, verdict, findings, device, at) VALUES (?, ?, ?, ?, ?)"
        self._write(sql, exercise, verdict, " ".join(findings), device, self._clock())

    def attempts(self, exercise: str) -> list[AttemptRecord]:
        """Oldest first."""
        sql = "SELECT verdict, findings, device, at FROM attempts WHERE exercise = ? ORDER BY id"
        return [
            AttemptRecord(verdict, tuple(findings.split()), device, at)
            for verdict, findings, device, at in self._read(sql, exercise)
        ]

    def passed(self, exercise: str) -> bool:
        """Whether the learner's code has ever passed: the solution may be shown then."""
        return bool(self._read("SELECT 1 FROM attempts WHERE exercise = ? AND verdict = 'pass' LIMIT 1", exercise))

    def record_measurement(self, exercise: str, case: str, device: str, median_us: float, gbps: float) -> None:
        sql = "INSERT INTO measurements (exercise, case_name, device, median_us, gbps, at) VALUES (?, ?, ?, ?, ?, ?)"
        self._write(sql, exercise, case, device, median_us, gbps, self._clock())

    def measurements(self, exercise: str) -> list[MeasurementRecord]:
        """Oldest first."""
        sql = "SELECT case_name, device, median_us, gbps, at FROM measurements WHERE exercise = ? ORDER BY id"
        return [MeasurementRecord(*row) for row in self._read(sql, exercise)]

    def best(self, exercise: str, device: str) -> MeasurementRecord | None:
        """The learner's own best bandwidth on that GPU."""
        mine = [record for record in self.measurements(exercise) if record.device == device]
        return max(mine, key=lambda record: record.gbps, default=None)

    def bests(self) -> dict[str, list[MeasurementRecord]]:
        """By exercise the learner's best on each GPU, the fastest GPU first."""
        sql = (
            "SELECT exercise, case_name, device, median_us, max(gbps), at FROM measurements "
            "GROUP BY exercise, device ORDER BY max(gbps) DESC"
        )
        found: dict[str, list[MeasurementRecord]] = {}
        for exercise, *row in self._read(sql):
            found.setdefault(exercise, []).append(MeasurementRecord(*row))
        return found

    def attempt_counts(self) -> dict[str, int]:
        """By exercise how often it was judged."""
        return dict(self._read("SELECT exercise, count(*) FROM attempts GROUP BY exercise"))

    # ------------------------------------------------------------ time

    def add_time(self, lesson: str, step: str, seconds: float) -> None:
        """So many more seconds of work on a step."""
        sql = (
            "INSERT INTO spent VALUES (?, ?, ?) "
            "ON CONFLICT (lesson, step) DO UPDATE SET seconds = seconds + excluded.seconds"
        )
        self._write(sql, lesson, step, seconds)

    def time_spent(self, lesson: str) -> dict[str, float]:
        """Seconds of work on each step of ``lesson`` that was worked on."""
        return dict(self._read("SELECT step, seconds FROM spent WHERE lesson = ?", lesson))

    # ------------------------------------------------------------ experiments

    def commit_prediction(
        self,
        lesson: str,
        step: str,
        question: str,
        given: str,
        draw: Mapping[str, int],
        confidence: int | None = None,
    ) -> None:
        """What the learner expects, before any figure is shown."""
        import json  # not for the first frame

        columns = "lesson, step, question, given, draw, at, confidence"
        sql = f"INSERT INTO predictions ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?)"
        self._write(sql, lesson, step, question, given, json.dumps(dict(draw)), self._clock(), confidence)

    def judge_prediction(
        self,
        lesson: str,
        step: str,
        question: str,
        *,
        correct: bool,
        figure: str,
        distance: float | None,
        source: FiguresSource,
    ) -> None:
        """What the figures say to the newest prediction of that question; newer figures take the place of older."""
        newest = "(SELECT max(id) FROM predictions WHERE lesson = ? AND step = ? AND question = ?)"
        sql = f"UPDATE predictions SET correct = ?, figure = ?, distance = ?, source = ? WHERE id = {newest}"
        self._write(sql, int(correct), figure, distance, source, lesson, step, question)

    def predictions(self, lesson: str | None = None, step: str | None = None) -> list[PredictionRecord]:
        """Of one step, one lesson or (None) of all, oldest first; a question that was asked anew is there again."""
        sql = (
            "SELECT lesson, step, question, given, draw, at, correct, figure, distance, source, confidence "
            "FROM predictions WHERE lesson = coalesce(?, lesson) AND step = coalesce(?, step) ORDER BY id"
        )
        return [_prediction(*row) for row in self._read(sql, lesson, step)]

    def record_experiment(self, exercise: str, gpu: str, source: FiguresSource, figures: str) -> None:
        """Figures of the learner's own: the step's badge, hollow after recorded ones, is filled by them."""
        sql = "INSERT INTO experiments (exercise, gpu, source, figures, at) VALUES (?, ?, ?, ?, ?)"
        self._write(sql, exercise, gpu, source, figures, self._clock())

    def experiment(self, exercise: str) -> ExperimentRecord | None:
        """The newest figures of that experiment."""
        sql = "SELECT exercise, gpu, source, figures, at FROM experiments WHERE exercise = ? ORDER BY id DESC LIMIT 1"
        return next((ExperimentRecord(*row) for row in self._read(sql, exercise)), None)

    def experimented(self) -> frozenset[str]:
        """Experiments of which the learner has figures of their own; a done step without them is only recorded."""
        return frozenset(exercise for (exercise,) in self._read("SELECT DISTINCT exercise FROM experiments"))

    # ------------------------------------------------------------ settings

    def setting(self, name: str, default: str | None = None) -> str | None:
        """``language``, ``live``, ``theme``… as last set."""
        rows = self._read("SELECT value FROM settings WHERE name = ?", name)
        return rows[0][0] if rows else default

    def set_setting(self, name: str, value: str) -> None:
        self._write("INSERT OR REPLACE INTO settings VALUES (?, ?)", name, value)

    # ------------------------------------------------------------ the file

    def _read(self, sql: str, *values: Any) -> list[Any]:
        try:
            with self._lock:
                return self._connection.execute(sql, values).fetchall()
        except sqlite3.Error as error:
            raise StorageError.from_sqlite(error, self.path) from error

    def _write(self, sql: str, *values: Any) -> None:
        try:
            with self._lock:
                self._follow_file()
                with self._connection:
                    self._connection.execute(sql, values)
        except sqlite3.Error as error:
            raise StorageError.from_sqlite(error, self.path) from error

    def _follow_file(self) -> None:
        """A file that was deleted under our feet is written again, whole; one that was exchanged is taken up."""
        there = self._identity()
        if there is not None and there == self._file:
            return
        make_folder(self.path.parent)
        fresh = _connect(self.path)
        if there is None:
            self._connection.backup(fresh)
        self._connection.close()
        self._connection, self._file = fresh, self._identity()

    def _identity(self) -> tuple[int, int] | None:
        """Which file it is; None when there is none. Raises StorageError."""
        try:
            status = self.path.stat()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StorageError.from_os(error, self.path) from error
        return status.st_dev, status.st_ino

    def _open(self) -> sqlite3.Connection:
        try:
            return _connect(self.path)
        except sqlite3.OperationalError as error:
            raise StorageError.from_sqlite(error, self.path) from error
        except (sqlite3.DatabaseError, NewerFileError):
            self.set_aside = _put_aside(self.path)
        try:
            return _connect(self.path)
        except sqlite3.Error as error:
            raise StorageError.from_sqlite(error, self.path) from error


def _prediction(
    lesson: str, step: str, question: str, given: str, draw: str, at: float, correct: int | None, *said: Any
) -> PredictionRecord:
    import json  # not for the first frame

    judged = None if correct is None else bool(correct)
    return PredictionRecord(lesson, step, question, given, json.loads(draw), at, judged, *said)


def _connect(path: Path) -> sqlite3.Connection:
    """An open file with our tables. Raises DatabaseError for a damaged file, OperationalError for the disk's faults."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    except OSError as error:
        raise StorageError.from_os(error, path) from error
    connection = sqlite3.connect(path, timeout=BUSY_TIMEOUT_S, check_same_thread=False)
    try:
        migrate(connection)
        connection.execute("SELECT count(*) FROM settings").fetchone()
        [(word,), *_] = connection.execute("PRAGMA quick_check").fetchall()  # 2 ms a megabyte
        if word != "ok":
            raise sqlite3.DatabaseError(word)
    except BaseException:
        connection.close()
        raise
    return connection


def _put_aside(path: Path) -> Path:
    """Rename ``path`` to a free name beside it. Raises StorageError."""
    number = 1
    while (aside := path.with_name(f"{path.name}.aside-{number}")).exists():
        number += 1
    journal = path.with_name(f"{path.name}-journal")
    try:
        path.replace(aside)
        if journal.exists():  # without it the file can't be mended, and the new one isn't its
            journal.replace(aside.with_name(f"{aside.name}-journal"))
    except OSError as error:
        raise StorageError.from_os(error, path) from error
    return aside
