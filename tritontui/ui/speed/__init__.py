"""The sections of the Speed tab: pure functions from what is known to rows of text, listed in ``sections.py``."""
