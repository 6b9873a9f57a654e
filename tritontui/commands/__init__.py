"""What ``tritontui COMMAND`` does: each command is a few lines over course, engine and diagnosis."""
