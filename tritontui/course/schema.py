"""The tables of the progress file, as the list of steps by which a file of any age becomes one of today."""

from __future__ import annotations

import sqlite3

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        "CREATE TABLE done (lesson TEXT, step TEXT, at REAL NOT NULL, PRIMARY KEY (lesson, step)) WITHOUT ROWID",
        "CREATE TABLE answers "
        "(id INTEGER PRIMARY KEY, lesson TEXT, step TEXT, question TEXT, given TEXT, correct INTEGER, at REAL)",
        "CREATE TABLE attempts "
        "(id INTEGER PRIMARY KEY, exercise TEXT, verdict TEXT, findings TEXT, device TEXT, at REAL)",
        "CREATE TABLE measurements "
        "(id INTEGER PRIMARY KEY, exercise TEXT, case_name TEXT, device TEXT, median_us REAL, gbps REAL, at REAL)",
        "CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    ),
    ("CREATE TABLE spent (lesson TEXT, step TEXT, seconds REAL NOT NULL, PRIMARY KEY (lesson, step)) WITHOUT ROWID",),
    (
        "CREATE TABLE predictions (id INTEGER PRIMARY KEY, lesson TEXT, step TEXT, question TEXT, given TEXT, "
        "draw TEXT, at REAL, correct INTEGER, figure TEXT, distance REAL, source TEXT)",
        "CREATE TABLE experiments "
        "(id INTEGER PRIMARY KEY, exercise TEXT, gpu TEXT, source TEXT, figures TEXT, at REAL)",
    ),
    ("ALTER TABLE predictions ADD COLUMN confidence INTEGER",),
)
"""Statements that make a file of version 1 from an empty one, one of version 2 from that, and so on.

A step that was released is never changed: add another. A file's version is its ``user_version``.
"""

VERSION = len(MIGRATIONS)


class NewerFileError(Exception):
    """The file's version is one that this tritontui doesn't know."""


def migrate(connection: sqlite3.Connection) -> None:
    """Bring an open file to ``VERSION``; a file that is there already is only read.

    All steps or none: two sessions that open an old file at once find it migrated once. Raises NewerFileError, and
    DatabaseError for a file that is damaged.
    """
    if _version(connection) == VERSION:
        return
    connection.execute("BEGIN IMMEDIATE")
    with connection:
        for statements in MIGRATIONS[_version(connection) :]:
            for statement in statements:
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {VERSION}")


def _version(connection: sqlite3.Connection) -> int:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > VERSION:
        raise NewerFileError(version)
    return int(version)
