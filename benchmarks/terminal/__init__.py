"""What the terminal side costs: bytes and milliseconds per key, first paint, idle, memory. See ``__main__``."""
