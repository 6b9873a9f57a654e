"""tritontui: learn GPU kernel programming with Triton, in the terminal, on your own kernels."""

__version__ = "0.1.0"
