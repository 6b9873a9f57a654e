"""What the playground begins with: a script with a kernel, inputs and a launch, its comments in the learner's words."""

from __future__ import annotations

from tritontui.i18n import Translator

PLAYGROUND = "playground"
"""As which it is kept among the learner's files, with its earlier versions; no exercise is called so."""

_STARTER = """\
{welcome}
{freedom}
import torch
import triton
import triton.language as tl

{inputs}
N = 1000
BLOCK = 256
DTYPE = torch.float32
FACTOR = 2.0


@triton.jit
def scale_kernel(x_ptr, out_ptr, factor, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    tl.store(out_ptr + offs, x * factor, mask=mask)


{launch}
x = torch.randn(N, dtype=DTYPE, device="cuda")
out = torch.empty_like(x)
scale_kernel[(triton.cdiv(N, BLOCK),)](x, out, FACTOR, N, BLOCK)
print(out)
"""


def starter(tr: Translator) -> str:
    """The text; it runs as it is, with and without a GPU."""
    return _STARTER.format(
        welcome=f"# {tr('A kernel of your own: it runs as you type.')}",
        freedom=f"# {tr('Nothing here is right or wrong.')}",
        inputs=f"# {tr('Its inputs: sizes, dtypes and numbers to play with.')}",
        launch=f"# {tr('As many launches as you like.')}",
    )
