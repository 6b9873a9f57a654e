"""The command line. Importing this costs next to nothing: each command imports what it needs when it is called."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tritontui.commands.status import GOOD, UNUSABLE, WRONG, CommandError, complain
from tritontui.course.faults import CourseError
from tritontui.course.storage import StorageError
from tritontui.i18n import Translator, choose_language, translator

if TYPE_CHECKING:
    import argparse

    from tritontui.commands.console import Context
    from tritontui.ui.app import Options

INTERRUPTED = 130
"""Exit status after Ctrl-C, as shells have it."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``tritontui ARGUMENTS`` (default: those of the process) and return the exit status."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    for stream in (sys.stdout, sys.stderr):
        if stream is not None and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a sign the terminal can't show must not end the command
    try:
        status = _run(given)
        if sys.stdout is not None:
            sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # `tritontui list | head -1`
        _abandon_output()
        return UNUSABLE
    except OSError as error:
        _abandon_output()
        return _complain(str(error))
    except Exception:  # a defect of ours: never status 1, which speaks of the learner's kernel
        return _complain(traceback.format_exc())


def _run(given: list[str]) -> int:
    if not given:  # most starts: the screen doesn't wait for a parser
        from tritontui.ui.app import Options

        tr = translator(choose_language(None, os.environ))
        return _told(tr, lambda: _application(Options(), tr))
    from tritontui.arguments import parse, speaking, wanted_language
    from tritontui.commands.console import Context
    from tritontui.course.paths import Paths

    try:
        language = choose_language(wanted_language(given), os.environ)
    except ValueError as error:
        return _complain(str(error))
    tr = translator(language)
    with speaking(language):
        options = parse(given, tr)
    lessons = _lessons(options.lessons)

    def work() -> int:
        paths = Paths.find().of_course(lessons)
        return _dispatch(options, Context(language, tr, paths, options.device, lessons=lessons, trust=options.trust))

    return _told(tr, work)


def _lessons(given: str | None) -> Path | None:
    """The folder of other lessons than this installation's."""
    if given is None:
        return None
    from tritontui.course.loader import lessons_folder

    folder = Path(given).expanduser().resolve()
    return None if folder == lessons_folder().resolve() else folder


def _told(tr: Translator, work: Callable[[], int]) -> int:
    """The exit status of ``work``; what stands in its way is said in words."""
    try:
        return work()
    except CommandError as error:
        return _complain(str(error))
    except CourseError as error:
        return _complain(tr("The lessons can't be read:") + f"\n{error}")
    except StorageError as error:
        return _complain(tr(error.message, **error.values))


def _dispatch(options: argparse.Namespace, context: Context) -> int:
    match options.command:
        case None:
            from tritontui.ui.app import Options

            if context.lessons is not None:
                from tritontui.commands.trust import ask_to_run

                ask_to_run(context)
            language = context.language if options.lang else None
            wanted = Options(language, options.device, options.lesson, context.lessons)
            return _application(wanted, context.tr)
        case "list":
            from tritontui.commands.listing import listing

            return listing(context, as_json=options.json)
        case "check":
            from tritontui.commands.check import check

            return check(
                context,
                options.exercise,
                options.file,
                as_json=options.json,
                measure=options.measure,
                target=options.target,
            )
        case "trace":
            if not options.json and _has_terminal():
                return _viewer(options, context)
            from tritontui.commands.trace import trace

            return trace(context, options.script, options.arguments, launch=options.launch, as_json=options.json)
        case "doctor":
            from tritontui.commands.doctor import doctor, practice

            if options.breaks is not None:
                return practice(context, options.breaks)
            return doctor(context, as_json=options.json, python=options.python)
        case "verify":
            from tritontui.commands.verify import verify

            return verify(context, as_json=options.json)
        case "lint-lessons":
            from tritontui.commands.lint import lint_lessons

            return lint_lessons(context, run_code=not options.no_run, as_json=options.json)
        case "measure":
            from tritontui.commands.measuring import measure

            return measure(context, options.experiments, as_json=options.json)
        case "import":
            from tritontui.commands.measuring import import_figures

            return import_figures(context, options.file)
        case "keys":
            from tritontui.commands.keys import keys

            return keys(context)
        case "export":
            from tritontui.commands.keeping import export

            return export(context, options.folder)
        case "reset":
            from tritontui.commands.keeping import reset

            return reset(context, options.what, confirmed=options.yes)
    raise AssertionError(options.command)


def _has_terminal() -> bool:
    """A terminal, or a driver of Textual's for something else, such as the browser of ``textual serve``."""
    if "TEXTUAL_DRIVER" in os.environ:
        return True
    return bool(sys.stdin and sys.stdin.isatty() and sys.stdout and sys.stdout.isatty())


def _viewer(options: argparse.Namespace, context: Context) -> int:
    """The viewer on a script; the status is that of its last run."""
    from tritontui.commands.trace import found
    from tritontui.ui.app import Script, trace

    path, entry = found(context, options.script)
    script = Script(path.absolute(), tuple(options.arguments), options.launch, entry)
    well = trace(script, context.language if options.lang else None, options.device)
    return UNUSABLE if well is None else GOOD if well else WRONG


def _application(options: Options, tr: Translator) -> int:
    if not _has_terminal():
        raise CommandError(tr("The application needs a terminal. See tritontui --help for the commands."))
    if options.lesson is not None:
        from tritontui.course.loader import lesson_folders

        if options.lesson not in {int(folder.name[:2]) for folder in lesson_folders(options.lessons)}:
            raise CommandError(tr("There is no lesson {number}.", number=options.lesson))
    from tritontui.ui.app import run

    try:
        return run(options)
    except StorageError as error:
        reason = tr(error.message, **error.values)
        way_out = tr("TRITONTUI_HOME names another folder for everything that tritontui keeps.")
        raise CommandError(f"{reason} {way_out}") from error


def _complain(message: str) -> int:
    complain(message)
    return UNUSABLE


def _abandon_output() -> None:
    """Nobody reads standard output: point it elsewhere, or Python complains again when it flushes at the end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


if __name__ == "__main__":  # `python -m tritontui.cli` would otherwise do nothing, and say that all is well
    sys.exit(main())
