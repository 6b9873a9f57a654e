"""Stand-ins for a GPU: host code that asks for one runs without it, or on one whose clock is known."""
