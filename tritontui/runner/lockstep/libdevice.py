"""CUDA's math library by symbol (``__nv_tanhf``), in numpy."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tritontui.runner.lockstep.errors import UnsupportedOperation
from tritontui.runner.lockstep.numeric import erf, high_half

Array = NDArray[Any]


def _each(function: Callable[..., float], arguments: int = 1) -> Callable[..., Array]:
    """A function of Python floats, lane by lane in float64; where it is not defined, NaN."""

    def guarded(*values: float) -> float:
        try:
            return function(*values)
        except OverflowError:
            return math.inf
        except ValueError:
            return math.nan

    universal = np.frompyfunc(guarded, arguments, 1)
    return lambda *arrays: np.asarray(universal(*(a.astype(np.float64) for a in arrays)), np.float64)


def _round_half_away(x: Array) -> Array:
    return np.copysign(np.floor(np.abs(x) + 0.5), x)


def _cdf(x: Array) -> Array:
    half: Array = 0.5 * (1 + erf(x.astype(np.float64) / math.sqrt(2)))
    return half


def _bit_count(x: Array) -> Array:
    octets = np.ascontiguousarray(x)[..., None].view(np.uint8)
    counts: Array = np.unpackbits(octets, axis=-1).sum(axis=-1, dtype=np.int32)
    return counts


def _leading_zeros(x: Array) -> Array:
    width = x.dtype.itemsize * 8
    bits = x.view(np.dtype(f"u{x.dtype.itemsize}"))
    left = np.full(x.shape, width, np.int32)
    for _ in range(width):
        left -= (bits != 0).astype(np.int32)
        bits = bits >> bits.dtype.type(1)
    return left


def _first_set(x: Array) -> Array:
    bits = x.view(np.dtype(f"u{x.dtype.itemsize}"))
    lowest = bits & (~bits + bits.dtype.type(1))
    width = x.dtype.itemsize * 8
    return np.where(bits == 0, 0, width - _leading_zeros(lowest)).astype(np.int32)


def _reversed_bits(x: Array) -> Array:
    width = x.dtype.itemsize * 8
    bits = x.view(np.dtype(f"u{x.dtype.itemsize}"))
    one = bits.dtype.type(1)
    out = np.zeros_like(bits)
    for _ in range(width):
        out = (out << one) | (bits & one)
        bits = bits >> one
    return out.view(x.dtype)


_UNARY: dict[str, Callable[..., Array]] = {
    **{name: getattr(np, name) for name in ("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "cbrt")},
    **{name: getattr(np, name) for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh", "floor", "ceil", "trunc")},
    **{f"a{name}": getattr(np, f"arc{name}") for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")},
    **dict.fromkeys(("fabs", "abs", "llabs"), np.abs),
    **dict.fromkeys(("rint", "nearbyint"), np.rint),
    "exp10": lambda x: np.power(x.dtype.type(10), x),
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "rcbrt": lambda x: 1 / np.cbrt(x),
    "round": _round_half_away,
    "erf": erf,
    "erfc": _each(math.erfc),
    "erfinv": _each(lambda y: _inverse_erf(y)),
    "lgamma": _each(math.lgamma),
    "tgamma": _each(math.gamma),
    "normcdf": _cdf,
    "sinpi": lambda x: np.sin(np.pi * x),
    "cospi": lambda x: np.cos(np.pi * x),
    "saturate": lambda x: np.clip(np.nan_to_num(x), 0, 1),
    "isnan": np.isnan,
    "isinf": np.isinf,
    "finite": np.isfinite,
    "isfinited": np.isfinite,
    "signbit": np.signbit,
    "popc": _bit_count,
    "popcll": _bit_count,
    "clz": _leading_zeros,
    "clzll": _leading_zeros,
    "ffs": _first_set,
    "ffsll": _first_set,
    "brev": _reversed_bits,
    "brevll": _reversed_bits,
    "logb": lambda x: np.floor(np.log2(np.abs(x))),
    "ilogb": lambda x: np.frexp(x)[1] - 1,
}
_BINARY: dict[str, Callable[..., Array]] = {
    **{name: getattr(np, name) for name in ("fmod", "fmax", "fmin", "hypot", "copysign", "nextafter")},
    "atan2": np.arctan2,
    "max": np.maximum,
    "min": np.minimum,
    "pow": np.power,
    "powi": lambda x, n: np.power(x, n.astype(x.dtype)),
    "ldexp": np.ldexp,
    "scalbn": np.ldexp,
    "remainder": _each(math.remainder, 2),
    "fdim": lambda x, y: np.where(x > y, x - y, 0),
    "fdivide": np.divide,
    **dict.fromkeys(("fdiv_rn", "ddiv_rn", "fast_fdivide"), np.divide),
    **dict.fromkeys(("fadd_rn", "dadd_rn"), np.add),
    **dict.fromkeys(("fmul_rn", "dmul_rn"), np.multiply),
    **dict.fromkeys(("fsub_rn", "dsub_rn"), np.subtract),
    "mulhi": lambda a, b: ((a.astype(np.int64) * b.astype(np.int64)) >> 32).astype(a.dtype),
    "umulhi": high_half,
    "umul64hi": high_half,
    "mul24": lambda a, b: a * b,
    "rhadd": lambda a, b: ((a.astype(np.int64) + b + 1) >> 1).astype(a.dtype),
    "hadd": lambda a, b: ((a.astype(np.int64) + b) >> 1).astype(a.dtype),
}
_TERNARY: dict[str, Callable[..., Array]] = {
    "fma": lambda x, y, z: (x.astype(np.float64) * y.astype(np.float64) + z.astype(np.float64)).astype(x.dtype),
    "sad": lambda x, y, z: np.abs(x - y) + z,
}
_TERNARY["fmaf_rn"] = _TERNARY["fma_rn"] = _TERNARY["fma"]


def call_libdevice(symbol: str, arguments: list[Array]) -> Array:
    """The value of one libdevice function. Raises ``UnsupportedOperation`` for a symbol that is not known here."""
    name = symbol.removeprefix("__nv_")
    table = {1: _UNARY, 2: _BINARY, 3: _TERNARY}.get(len(arguments), {})
    for candidate in (
        name,
        name.removesuffix("f"),
        name.removesuffix("d"),
        name.removeprefix("fast_").removesuffix("f"),
    ):
        function = table.get(candidate)
        if function is not None:
            return function(*arguments)
    raise UnsupportedOperation(f"libdevice function {symbol} is not supported without a GPU")


def _inverse_erf(y: float) -> float:
    """Newton's method from Winitzki's approximation; float64 accurate in a few steps."""
    if abs(y) >= 1:
        return math.copysign(math.inf, y) if abs(y) == 1 else math.nan
    if y == 0:
        return 0.0
    a = 0.147
    part = math.log(1 - y * y)
    first = 2 / (math.pi * a) + part / 2
    x = math.copysign(math.sqrt(math.sqrt(first * first - part / a) - first), y)
    for _ in range(4):
        x -= (math.erf(x) - y) / (2 / math.sqrt(math.pi) * math.exp(-x * x))
    return x
