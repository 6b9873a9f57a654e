"""An output against the right answer, element by element."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch

from tritontui.engine.messages import Mismatch
from tritontui.runner.cases.memory import is_poison
from tritontui.runner.explaining.patterns import find_pattern
from tritontui.runner.spec import EXACT, Tolerance

DEFAULT_TOLERANCES: Mapping[torch.dtype, Tolerance] = {
    torch.float64: Tolerance(
        1e-13,
        1e-13,
        "float64 keeps 53 bits; a few hundred roundings fit in 1e-13",
        "float64 tiene 53 bit; qualche centinaio di arrotondamenti sta in 1e-13",
    ),
    torch.float32: Tolerance(
        1.3e-6,
        1e-6,
        "float32 keeps 24 bits (a step of 1.2e-7); ten such steps are rounding, more is not",
        "float32 tiene 24 bit (un passo di 1,2e-7); dieci passi sono arrotondamento, di più no",
    ),
    torch.float16: Tolerance(
        2e-3,
        1e-6,
        "float16 keeps 11 bits (a step of 1e-3); two such steps are rounding",
        "float16 tiene 11 bit (un passo di 1e-3); due passi sono arrotondamento",
    ),
    torch.bfloat16: Tolerance(
        1.6e-2,
        1e-6,
        "bfloat16 keeps 8 bits (a step of 8e-3); two such steps are rounding",
        "bfloat16 tiene 8 bit (un passo di 8e-3); due passi sono arrotondamento",
    ),
    torch.float8_e4m3fn: Tolerance(
        0.125,
        2.0**-9,
        "float8 e4m3 keeps 4 bits (a step of 1/8)",
        "float8 e4m3 tiene 4 bit (un passo di 1/8)",
    ),
    torch.float8_e5m2: Tolerance(
        0.25,
        2.0**-16,
        "float8 e5m2 keeps 3 bits (a step of 1/4)",
        "float8 e5m2 tiene 3 bit (un passo di 1/4)",
    ),
}
"""Where the answer is one rounding of an exact result, as in elementwise kernels; reductions and products state theirs.

The steps are 2^(1 − bits) relative to the value: IEEE 754 for 64, 32 and 16 bits, the OCP 8-bit formats for the rest.
"""


def tolerance_for(dtype: torch.dtype, declared: Mapping[torch.dtype, Tolerance]) -> Tolerance:
    """The exercise's own tolerance for an output of ``dtype``, else the default; integers and booleans are exact."""
    return declared.get(dtype) or DEFAULT_TOLERANCES.get(dtype, EXACT)


def wrong_elements(got: torch.Tensor, expected: torch.Tensor, tolerance: Tolerance) -> torch.Tensor:
    """Where ``got`` is wrong: a boolean tensor in its shape. Both on one device, of one shape.

    A finite value may be as far off as the tolerance says; an infinity must be the right one, where rounding the
    expected value to ``got``'s dtype counts; NaN is right where NaN is expected.
    """
    if not got.is_floating_point():
        return got != expected
    if got.dim() == 0:
        return wrong_elements(got[None], expected[None], tolerance)[0]
    difference = got.to(torch.float64).sub_(expected).abs_()
    allowed = expected.to(torch.float64).abs().mul_(tolerance.rtol).add_(tolerance.atol)
    wrong = ~((difference <= allowed) & (difference < float("inf")))
    suspects = torch.nonzero(wrong, as_tuple=True)
    if len(suspects[0]):  # infinities and NaN among them may be right after all
        wrong[suspects] = ~_equal_once_rounded(got[suspects], expected[suspects])
    return wrong


def _equal_once_rounded(got: torch.Tensor, expected: torch.Tensor) -> torch.Tensor:
    return (got == expected.to(got.dtype)) | (got.isnan() & expected.isnan())


def compare(got: torch.Tensor, expected: torch.Tensor, tolerance: Tolerance) -> Mismatch | None:
    """The first wrong element, with what all wrong ones have in common; None when all are right."""
    wrong = wrong_elements(got, expected, tolerance)
    count = int(torch.count_nonzero(wrong))
    if count == 0:
        return None
    flags = wrong.cpu().numpy()
    index = [int(i) for i in np.unravel_index(int(np.flatnonzero(flags)[0]), flags.shape)]
    at = tuple(index)
    values = got.detach().to(torch.float64).cpu().numpy()
    rights = expected.detach().to(torch.float64).cpu().numpy()
    pattern = find_pattern(flags, values, rights)
    return Mismatch(
        index=index,
        expected=shown(expected[at]),
        got=shown(got[at]),
        written=not bool(is_poison(got[at])),
        difference=_difference(float(values[at]), float(rights[at])),
        wrong=count,
        total=flags.size,
        pattern=pattern.name if pattern else None,
        pattern_params=pattern.params if pattern else {},
    )


def shown(value: torch.Tensor) -> str:
    """One element as text: whole integers, seven significant digits of a float."""
    number = value.item()
    return f"{number:.7g}" if isinstance(number, float) else str(number)


def _difference(got: float, expected: float) -> str:
    difference = got - expected
    return f"{difference:+.3g}".replace("+nan", "nan")
