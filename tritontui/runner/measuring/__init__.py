"""Time on a GPU, beside what that GPU can do; sweeps and experiments."""
