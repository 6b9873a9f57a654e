"""``python -m tritontui.i18n extract|compile|check``: the translators' tool (needs Babel).

extract   brings the catalogue up to date with the strings in the source; what is new has no translation yet
compile   makes the .mo file that the program reads
check     says what is missing, wrong or stale; exit status 1 if anything is
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from datetime import datetime, timezone
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import read_mo, write_mo
from babel.messages.pofile import read_po, write_po

from tritontui import __version__
from tritontui.i18n.extraction import extract
from tritontui.i18n.translation import DOMAIN, LOCALE_FOLDER

PACKAGE = Path(__file__).parent.parent
PO = LOCALE_FOLDER / "it" / "LC_MESSAGES" / f"{DOMAIN}.po"
MO = PO.with_suffix(".mo")
PLURAL_FORMS = "nplurals=2; plural=(n != 1);"
"""One and many; Babel's own rule for Italian has a third form, for whole millions, which nobody writes here."""
HEADER = f"""Project-Id-Version: tritontui {__version__}
Language: it
Plural-Forms: {PLURAL_FORMS}
MIME-Version: 1.0
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: 8bit
"""
"""Babel's own holds dates, which would change the files at every extraction."""
UNDATED = datetime(2026, 1, 1, tzinfo=timezone.utc)
FIELD = re.compile(r"\{(\w+)[^{}]*\}")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tritontui.i18n", description="The translators' tool.")
    parser.add_argument("action", choices=["extract", "compile", "check"])
    action = parser.parse_args().action
    if action == "extract":
        write_catalogue(update(read_catalogue(), template()))
    elif action == "compile":
        write_compiled(read_catalogue())
    else:
        found = list(problems())
        print(*found, sep="\n", file=sys.stderr)
        return 1 if found else 0
    return 0


def template() -> Catalog:
    """The strings in the source, with where they stand."""
    catalogue = Catalog()
    for forms, path, line in extract(PACKAGE):
        message = forms[0] if len(forms) == 1 else forms
        catalogue.add(message, locations=[(path.relative_to(PACKAGE).as_posix(), line)])
    return catalogue


def read_catalogue() -> Catalog:
    with PO.open("rb") as file:
        return read_po(file, locale="it")


def write_catalogue(catalogue: Catalog) -> None:
    """Without line numbers, which would change at every edit of the source."""
    buffer = BytesIO()
    write_po(buffer, catalogue, width=110, omit_header=True, include_lineno=False, sort_output=True)
    header = "".join(f'"{line}\\n"\n' for line in HEADER.splitlines())
    PO.write_bytes(f'msgid ""\nmsgstr ""\n{header}\n'.encode() + buffer.getvalue())


def update(catalogue: Catalog, source: Catalog) -> Catalog:
    """``catalogue`` with the strings of ``source``: old translations kept, unused strings dropped."""
    catalogue.update(source, no_fuzzy_matching=True)
    catalogue.obsolete.clear()
    return catalogue


def translations(catalogue: Catalog) -> dict[str | tuple[str, ...], tuple[str, ...]]:
    """The finished translations; what has none falls back to English."""
    return {
        message.id if isinstance(message.id, str) else tuple(message.id): _forms(message.string)
        for message in catalogue
        if message.id and all(_forms(message.string))
    }


def write_compiled(catalogue: Catalog) -> None:
    """The .mo file with the finished translations only, and the same bytes for the same words."""
    bare = Catalog(locale="it", project=DOMAIN, version=__version__, creation_date=UNDATED, revision_date=UNDATED)
    bare.mime_headers = [("Plural-Forms", PLURAL_FORMS)]
    for identifier, forms in translations(catalogue).items():
        bare.add(identifier, forms[0] if len(forms) == 1 else forms)
    with MO.open("wb") as file:
        write_mo(file, bare)


def read_compiled() -> Catalog:
    with MO.open("rb") as file:
        return read_mo(file)


def problems() -> Iterator[str]:
    """What stands between the source, the catalogue and the compiled catalogue, one line each."""
    source, catalogue = template(), read_catalogue()
    for message in source:
        if message.id and (problem := _problem(message, catalogue)):
            where = ", ".join(sorted({path for path, _ in message.locations}))
            yield f"{where}: {_first(message)!r}: {problem}"
    for message in catalogue:
        if message.id and message.id not in source:
            yield f"{PO.name}: {_first(message)!r}: no longer in the source; run extract"
    if translations(read_compiled()) != translations(catalogue):
        yield f"{MO.name}: stale; run compile"


def _problem(message: Message, catalogue: Catalog) -> str | None:
    translated = catalogue.get(message.id)
    if translated is None or not all(_forms(translated.string)):
        return "no translation"
    expected = {field for form in _forms(message.id) for field in FIELD.findall(form)}
    got = {field for form in _forms(translated.string) for field in FIELD.findall(form)}
    if got != expected:
        return f"the translation has the fields {sorted(got)}, the source {sorted(expected)}"
    return None


def _forms(value: str | Sequence[str] | None) -> tuple[str, ...]:
    return (value or "",) if value is None or isinstance(value, str) else tuple(value)


def _first(message: Message) -> str:
    return _forms(message.id)[0]


if __name__ == "__main__":
    raise SystemExit(main())
