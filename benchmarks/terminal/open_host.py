"""Opens the host application on this terminal: ``python -m benchmarks.terminal.open_host [FILE]``."""

from __future__ import annotations

import sys
from pathlib import Path

from tritontui.ui.start.environment import prepare


def main() -> None:
    """Open it on a file, or on the built-in kernel."""
    terminal = prepare()  # before Textual is imported
    from benchmarks.terminal.host import KERNEL, Host

    text = Path(sys.argv[1]).read_text() if len(sys.argv) > 1 else KERNEL
    Host(text, terminal=terminal).run(mouse=terminal.mouse)


if __name__ == "__main__":
    main()
