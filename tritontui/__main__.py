"""``python -m tritontui``."""

from tritontui.cli import main

raise SystemExit(main())
