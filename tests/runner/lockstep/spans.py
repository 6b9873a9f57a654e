"""An aggregate. Its annotations must be classes, not strings: Triton before 3.8 looks at them as they stand."""

import triton
import triton.language as tl

constexpr_function = getattr(triton, "constexpr_function", None) or getattr(tl.core, "constexpr_function", lambda f: f)


@tl.core._aggregate
class Span:
    start: tl.tensor
    length: tl.tensor

    def __init__(self, start, length):
        self.start = start
        self.length = length

    @triton.jit
    def end(self):
        return self.start + self.length
