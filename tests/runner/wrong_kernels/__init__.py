"""Kernels that the compiler refuses. The line to blame ends in ``#! id``.

``LAUNCHES`` holds them as ``(kernel, arguments, options)``, those of one launch. ``EXCUSED`` names those that some
versions of Triton accept, or refuse without a word to tell the fault by.
"""

from tests.runner.wrong_kernels import blocks, names, statements, types
from tests.runner.wrong_kernels.registry import EXCUSED, LAUNCHES

__all__ = ["EXCUSED", "LAUNCHES", "blocks", "names", "statements", "types"]
