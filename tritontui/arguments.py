"""The grammar of the command line, in the learner's language."""

from __future__ import annotations

import argparse
import gettext
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NoReturn

from tritontui import __version__
from tritontui.engine.targets import TARGETS
from tritontui.i18n import LANGUAGES, N_, Language, Translator, plain
from tritontui.i18n.translation import DOMAIN, LOCALE_FOLDER

ARGPARSE_WORDS = (
    N_("usage: "),
    N_("positional arguments"),
    N_("options"),
    N_("show this help message and exit"),
    N_("the following arguments are required: %s"),
    N_("unrecognized arguments: %s"),
    N_("expected one argument"),
    N_("argument %(argument_name)s: %(message)s"),
    N_("invalid %(type)s value: %(value)r"),
    N_("invalid choice: %(value)r (choose from %(choices)s)"),
    N_("%(prog)s: error: %(message)s\n"),
)
"""argparse asks gettext for these itself; listed here so that the catalogue has them."""

_DEVICE = re.compile(r"auto|cpu|cuda:\d+")


@contextmanager
def speaking(language: Language) -> Iterator[None]:
    """Within, argparse's own words are looked up in this program's catalogue and in ``language``."""
    domain, before = gettext.textdomain(), os.environ.get("LANGUAGE")
    gettext.bindtextdomain(DOMAIN, str(LOCALE_FOLDER))
    gettext.textdomain(DOMAIN)
    os.environ["LANGUAGE"] = language
    try:
        yield
    finally:
        gettext.textdomain(domain)
        if before is None:
            del os.environ["LANGUAGE"]
        else:
            os.environ["LANGUAGE"] = before


def wanted_language(arguments: Sequence[str]) -> str | None:
    """What ``--lang`` says, before anything is parsed: the help and the errors are to be in that language."""
    for position, argument in enumerate(arguments):
        if argument == "--":
            break
        if argument.startswith("--lang="):
            return argument.partition("=")[2]
        if argument == "--lang" and position + 1 < len(arguments):
            return arguments[position + 1]
    return None


class _Parser(argparse.ArgumentParser):
    """Repeats nothing that could drive a terminal: a shell's ``*`` gives file names that nobody has typed."""

    def error(self, message: str) -> NoReturn:
        super().error(plain(message, lines=True))


def parser(tr: Translator) -> argparse.ArgumentParser:
    """Every command with its options, explained."""

    def runs_lessons() -> list[_Parser]:
        return [_device(tr), _elsewhere(tr), _trust(tr)]

    main = _Parser(
        prog="tritontui",
        parents=[_language(tr), *runs_lessons()],
        description=tr(
            "Learn GPU kernel programming with Triton, on your own kernels. Without a command: the application."
        ),
        epilog=tr("Exit status: 0 good, 1 the kernel is wrong, 2 usage or environment."),
        allow_abbrev=False,
    )
    main.set_defaults(lang=None, device="auto", lessons=None, trust=False)
    main.add_argument(
        "--version",
        action="version",
        version=f"tritontui {__version__}",
        help=tr("show program's version number and exit"),
    )
    main.add_argument("--lesson", type=int, metavar="N", help=tr("open the application at lesson N"))
    commands = main.add_subparsers(dest="command", metavar=tr("COMMAND"))

    def command(name: str, help_text: str, *more: _Parser) -> _Parser:
        parents = [_language(tr), *more]
        return commands.add_parser(name, help=help_text, description=help_text, parents=parents, allow_abbrev=False)

    def offers_json(of: _Parser) -> None:
        of.add_argument("--json", action="store_true", help=tr("print JSON for scripts"))

    offers_json(command("list", tr("show lessons, steps, outcomes and progress"), _elsewhere(tr)))

    check = command("check", tr("judge a kernel as the application would"), *runs_lessons())
    check.add_argument("exercise", metavar="EXERCISE", help=tr("id of the exercise, such as vector_add"))
    check.add_argument(
        "file", metavar="FILE", nargs="?", help=tr("the kernel (- for standard input; default: your saved work)")
    )
    check.add_argument("--measure", action="store_true", help=tr("also measure it, on a GPU"))
    check.add_argument(
        "--target",
        choices=TARGETS,
        help=tr("what to compile for, with or without such a GPU (default: the GPU here, else sm_90)"),
    )
    offers_json(check)

    trace = command("trace", tr("run a script and show what each kernel launch in it did"), _device(tr))
    trace.description = tr(
        "Run a script and show what each kernel launch in it did: in a terminal on a screen with its source, map, "
        "steps and machine code, run again whenever the script changes; with --json, or into a file or a pipe, as a "
        "report. "
        "On the screen the terminal is taken: the script's standard input is empty."
    )
    trace.add_argument(
        "--launch", type=int, metavar="K", help=tr("only launch K, or on the screen K first (the first is 0)")
    )
    offers_json(trace)
    trace.add_argument(
        "script", metavar="SCRIPT", help=tr("a Python script that launches Triton kernels, or module:function to call")
    )
    trace.add_argument(
        "arguments", metavar="ARGS", nargs=argparse.REMAINDER, help=tr("what the script gets; after -- all of it")
    )

    measure = command("measure", tr("time the course's experiments on the GPU here"), *runs_lessons())
    measure.add_argument(
        "experiments", metavar="EXPERIMENT", nargs="*", help=tr("id of an experiment (default: all of them)")
    )
    offers_json(measure)

    take_in = command("import", tr("take in figures that were measured on another machine"), _elsewhere(tr))
    take_in.add_argument(
        "file", metavar="FILE", help=tr("what tritontui measure --json wrote there (- for standard input)")
    )

    doctor = command("doctor", tr("say what works here, and what to do about what doesn't"), _device(tr))
    where = doctor.add_mutually_exclusive_group()
    where.add_argument(
        "--python",
        metavar="PATH",
        help=tr("look at that interpreter or virtual environment, which needn't have tritontui in it"),
    )
    where.add_argument(
        "--break",
        dest="breaks",
        metavar="DIR",
        help=tr("make a virtual environment in DIR that is broken on purpose, to practise mending one"),
    )
    offers_json(doctor)
    offers_json(command("verify", tr("try every recorded solution and wrong attempt on this machine"), *runs_lessons()))

    lint = command("lint-lessons", tr("say what is wrong or missing in lessons, with file and line"), *runs_lessons())
    lint.add_argument("--no-run", action="store_true", help=tr("only read them: judge no recorded submission"))
    offers_json(lint)

    command("keys", tr("print a file in which to choose your own keys; say what is wrong in the one you have"))

    export = command("export", tr("copy your work to a folder, as plain files"), _elsewhere(tr))
    export.add_argument("folder", metavar="DIR", help=tr("where to; nothing there is overwritten"))

    reset = command("reset", tr("begin an exercise or a lesson again; your text is kept aside"), _elsewhere(tr))
    reset.add_argument("what", metavar="WHAT", help=tr("an exercise, the number of a lesson, or all"))
    reset.add_argument("--yes", action="store_true", help=tr("don't ask"))
    return main


# Options that several commands take. Made anew for each: parsers that share an option share its default, too.


def _language(tr: Translator) -> _Parser:
    made = _Parser(add_help=False)
    made.add_argument(
        "--lang", choices=LANGUAGES, default=argparse.SUPPRESS, help=tr("language (default: as the locale says)")
    )
    return made


def _device(tr: Translator) -> _Parser:
    made = _Parser(add_help=False)
    made.add_argument(
        "--device",
        type=_device_name(tr),
        default=argparse.SUPPRESS,
        metavar="DEVICE",
        help=tr("auto, cpu or cuda:N (default: auto)"),
    )
    return made


def _elsewhere(tr: Translator) -> _Parser:
    made = _Parser(add_help=False)
    made.add_argument(
        "--lessons", metavar="DIR", default=argparse.SUPPRESS, help=tr("lessons from elsewhere, in folder DIR")
    )
    return made


def _trust(tr: Translator) -> _Parser:
    made = _Parser(add_help=False)
    made.add_argument(
        "--trust", action="store_true", default=argparse.SUPPRESS, help=tr("run what is in DIR without asking")
    )
    return made


def parse(arguments: Sequence[str], tr: Translator) -> argparse.Namespace:
    """The options of one command line; prints and raises SystemExit as argparse does (status 2 for misuse)."""
    main = parser(tr)
    cut = arguments.index("--") if "--" in arguments else len(arguments)
    if "trace" not in arguments[:cut]:
        return main.parse_args(arguments)
    options = main.parse_args(arguments[:cut])
    if options.command != "trace":
        return main.parse_args(arguments)
    _take_own_options(options)
    options.arguments += arguments[cut + 1 :]
    return options


def _take_own_options(options: argparse.Namespace) -> None:
    """Let ``--json`` and the like stand after SCRIPT as well."""
    own = _Parser(prog="tritontui trace", add_help=False, allow_abbrev=False)
    own.add_argument("--json", action="store_true", default=options.json)
    own.add_argument("--launch", type=int, default=options.launch)
    own.add_argument("--device", default=options.device)
    own.add_argument("--lang", default=options.lang)
    _, options.arguments = own.parse_known_args(options.arguments, options)


def _device_name(tr: Translator) -> Callable[[str], str]:
    def device(text: str) -> str:
        if not _DEVICE.fullmatch(text):
            raise argparse.ArgumentTypeError(tr("auto, cpu or cuda:N is wanted"))
        return text

    return device
