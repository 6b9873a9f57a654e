"""An empty Textual application, to compare first paints with."""

from textual.app import App, ComposeResult
from textual.widgets import Static


class Empty(App[None]):
    """One word on the screen."""

    def compose(self) -> ComposeResult:
        yield Static("ready")


if __name__ == "__main__":
    Empty().run()
