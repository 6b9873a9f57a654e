"""The theme an application begins with."""

from __future__ import annotations

from typing import Any

from textual.app import App


def begin_with(app: App[Any], name: str) -> None:
    """Set a registered theme on an application that doesn't run yet.

    Assigning ``theme`` would leave its watcher waiting, which parses all styles and draws all again after the first
    frame. Here are the parts of the watcher that the first frame needs.
    """
    app.set_reactive(App.theme, name)
    dark = app.current_theme.dark
    app.update_classes({f"-theme-{name}": True, "-dark-mode": dark, "-light-mode": not dark}, update=False)
    app.stylesheet.set_variables(app.get_css_variables())
    if (refresh := getattr(app, "_refresh_truecolor_filter", None)) is not None:
        refresh(app.ansi_theme)
