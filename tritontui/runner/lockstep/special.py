"""Functions of float64 that numpy lacks: the error function and its kin, Γ, Bessel's modified functions.

Most are asked of PyTorch (``torch.special``, from Cephes)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

Array = NDArray[Any]


def in_float64(function: Callable[[torch.Tensor], torch.Tensor]) -> Callable[[Array], Array]:
    """A function of torch on numpy arrays."""

    def made(x: Array) -> Array:
        given = torch.from_numpy(np.array(x, np.float64, order="C"))
        result: Array = function(given).numpy()
        return result

    return made


def lane_by_lane(function: Callable[..., float], arguments: int = 1) -> Callable[..., Array]:
    """A function of Python floats, in float64; where it is not defined, NaN."""

    def guarded(*values: float) -> float:
        try:
            return function(*values)
        except OverflowError:
            return math.inf
        except ValueError:
            return math.nan

    universal = np.frompyfunc(guarded, arguments, 1)
    return lambda *arrays: np.asarray(universal(*(a.astype(np.float64) for a in arrays)), np.float64)


i0 = in_float64(torch.special.i0)
i1 = in_float64(torch.special.i1)
erf = in_float64(torch.special.erf)
erfc = in_float64(torch.special.erfc)
erfcx = in_float64(torch.special.erfcx)
erfinv = in_float64(torch.special.erfinv)
normcdfinv = in_float64(torch.special.ndtri)
lgamma = in_float64(torch.special.gammaln)


def erfcinv(y: Array) -> Array:
    """The x whose erfc(x) is y, through the normal distribution, whose tail keeps its digits near y = 0."""
    return normcdfinv(y.astype(np.float64) / 2) / -math.sqrt(2)


def normcdf(x: Array) -> Array:
    """The normal distribution; through erfc, which keeps its digits in the lower tail."""
    return erfc(x.astype(np.float64) / -math.sqrt(2)) / 2


@lane_by_lane
def tgamma(x: float) -> float:
    """Γ(x); infinite, with the zero's sign, at a zero."""
    return math.copysign(math.inf, x) if x == 0 else math.gamma(x)
