"""From the command to the first frame, before Textual is imported."""
