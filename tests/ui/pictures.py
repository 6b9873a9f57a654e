"""Pictures of the application, to be looked at: what it shows at a size, in a language, after some keys.

    python tests/ui/pictures.py OUT.png [--size 120x40] [--lang it] [--theme NAME] [--keys ctrl+n,down] [--wait S]

OUT may also end in .svg. Needs resvg_py for .png; with the font Fira Code installed, the picture is true to a terminal.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import tempfile
from pathlib import Path


async def take(options: argparse.Namespace) -> str:
    """The screen as SVG."""
    from tritontui.ui.app import Options
    from tritontui.ui.application import TritonApp
    from tritontui.ui.start.environment import prepare

    app = TritonApp(Options(language=options.lang, device=options.device, lesson=options.lesson), prepare())
    if not options.welcome:
        app.study.ledger.set_setting("welcomed", "yes")
    width, height = map(int, options.size.split("x"))
    async with app.run_test(size=(width, height)) as pilot:
        if options.theme:
            app.theme = options.theme
        await pilot.pause(0.5)
        for keys in filter(None, options.keys.split(",")):
            await pilot.press(keys)
            await pilot.pause()
        await pilot.pause(options.wait)
        return app.export_screenshot()


def main() -> None:
    """Take one picture."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--size", default="120x40")
    parser.add_argument("--lang", default="en")
    parser.add_argument("--lesson", type=int)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--theme")
    parser.add_argument("--keys", default="")
    parser.add_argument("--wait", type=float, default=0.5, help="seconds before the picture, for results to come in")
    parser.add_argument("--welcome", action="store_true", help="as on a first visit")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        os.environ.setdefault("TRITONTUI_HOME", home)
        os.environ.setdefault("COLORTERM", "truecolor")  # COLORTERM= shows sixteen colours, NO_COLOR=1 none
        svg = asyncio.run(take(options))
    if options.out.suffix == ".svg":
        options.out.write_text(svg, encoding="utf-8")
        return
    import resvg_py

    options.out.write_bytes(bytes(resvg_py.svg_to_bytes(svg_string=svg)))


if __name__ == "__main__":
    main()
