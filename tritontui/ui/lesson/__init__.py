"""What the lesson pane and the course map show, as state and blocks of text. No widgets."""
