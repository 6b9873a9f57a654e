"""CUDA's math library by symbol (``__nv_tanhf``), in numpy.

What each function is, with its values at the edges, stands in NVIDIA's "CUDA Math API Reference Manual"; functions of
float32 flush subnormal numbers there (Triton compiles them with ``ftz``) and keep them here. Accuracy: float32 within 4
units in the last place, float64 within 1e-13, of the exact value, which is as near as CUDA's own claims
for most of them; conversions, integers and whatever rounds to a named side are exact.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tritontui.runner.lockstep import bessel, special
from tritontui.runner.lockstep.errors import UnsupportedOperation
from tritontui.runner.lockstep.numeric import fma, high_half, rsqrt, to_integer
from tritontui.runner.lockstep.rounding import TO_INTEGER, cast_to_float, rounded

Array = NDArray[Any]
Function = Callable[..., Array]


# ------------------------------------------------------------ bits


def _unsigned(x: Array) -> Array:
    return x.view(np.dtype(f"u{x.dtype.itemsize}"))


def _bit_count(x: Array) -> Array:
    octets = np.ascontiguousarray(x)[..., None].view(np.uint8)
    counts: Array = np.unpackbits(octets, axis=-1).sum(axis=-1, dtype=np.int32)
    return counts


def _leading_zeros(x: Array) -> Array:
    width = x.dtype.itemsize * 8
    bits = _unsigned(x)
    left = np.full(x.shape, width, np.int32)
    for _ in range(width):
        left -= (bits != 0).astype(np.int32)
        bits = bits >> bits.dtype.type(1)
    return left


def _first_set(x: Array) -> Array:
    bits = _unsigned(x)
    lowest = bits & (~bits + bits.dtype.type(1))
    width = x.dtype.itemsize * 8
    return np.where(bits == 0, 0, width - _leading_zeros(lowest)).astype(np.int32)


def _reversed_bits(x: Array) -> Array:
    bits = _unsigned(x)
    one = bits.dtype.type(1)
    out = np.zeros_like(bits)
    for _ in range(x.dtype.itemsize * 8):
        out = (out << one) | (bits & one)
        bits = bits >> one
    return out.view(x.dtype)


def _byte_perm(x: Array, y: Array, selector: Array) -> Array:
    """Four bytes out of eight, each chosen by three bits of ``selector``."""
    eight = (_unsigned(y).astype(np.uint64) << np.uint64(32)) | _unsigned(x)
    out = np.zeros((), np.uint64)
    for place in range(4):
        chosen = (_unsigned(selector).astype(np.uint64) >> np.uint64(4 * place)) & np.uint64(7)
        out = out | (((eight >> (chosen * np.uint64(8))) & np.uint64(0xFF)) << np.uint64(8 * place))
    return out.astype(np.uint32)


def _as(kind: Any) -> Function:
    """The same bits as another dtype."""
    return lambda x: np.ascontiguousarray(x).view(kind)


def _from_halves(high: Array, low: Array) -> Array:
    whole: Array = (_unsigned(high).astype(np.uint64) << np.uint64(32)) | _unsigned(low)
    return whole.view(np.float64)


def _half_of_double(shift: int) -> Function:
    return lambda x: (np.ascontiguousarray(x).view(np.uint64) >> np.uint64(shift)).astype(np.uint32)


def _rough_reciprocal(x: Array) -> Array:
    """1/x of the upper half of ``x``, in the upper half: ``rcp.approx.ftz.f64``, without its last bits of error."""
    upper = np.uint64(0xFFFFFFFF00000000)

    def kept(value: Array) -> Array:
        normal = np.where(np.abs(value) < np.finfo(np.float64).tiny, np.copysign(0, value), value)
        cut: Array = normal.view(np.uint64) & upper
        return cut.view(np.float64)

    return kept(1 / kept(x))


# ------------------------------------------------------------ integers


def _signed_high_half(a: Array, b: Array) -> Array:
    unsigned = high_half(a, b)
    over: Array = np.where(a < 0, b, 0).view(unsigned.dtype) + np.where(b < 0, a, 0).view(unsigned.dtype)
    signed: Array = unsigned - over
    return signed.view(a.dtype)


def _low_24_bits(a: Array, b: Array) -> Array:
    """Product of the lower 24 bits of each, with their sign where the dtype has one."""
    eight = a.dtype.type(8)
    product: Array = ((a << eight) >> eight) * ((b << eight) >> eight)
    return product


def _wide(function: Function) -> Function:
    """An integer function in int64, so that nothing between overflows."""
    return lambda *integers: function(*(one.astype(np.int64) for one in integers))


# ------------------------------------------------------------ floats


def _round_half_away(x: Array) -> Array:
    whole = np.trunc(x)
    away: Array = whole + np.where(np.abs(x - whole) >= 0.5, np.copysign(1, x), 0).astype(x.dtype)
    return away


def _of_half_turns(function: Function) -> Function:
    """sin or cos of π·x: the argument is brought into one turn, exactly, before it is multiplied."""

    def made(x: Array) -> Array:
        turn = np.fmod(x.astype(np.float64), 2)
        quarters = np.rint(turn * 2)
        rest = (turn - quarters / 2) * np.pi
        return _on_quarter(function, rest, quarters)

    return made


def _on_quarter(function: Function, rest: Array, quarters: Array) -> Array:
    """``function`` (sin or cos) of rest + quarters · π/2, so that multiples of π/2 give 0 and ±1 exactly."""
    quarter = (quarters + (1 if function is np.cos else 0)) % 4
    value = np.where(quarter % 2 == 0, np.sin(rest), np.cos(rest))
    return np.where(quarter >= 2, -value, value)


def _exponent(x: Array) -> Array:
    exponent = (np.frexp(x)[1] - 1).astype(x.dtype)
    return np.where(x == 0, -np.inf, np.where(np.isfinite(x), exponent, np.abs(x)))


def _integer_exponent(x: Array) -> Array:
    limits = np.iinfo(np.int32)
    exponent = np.where(np.isinf(x), limits.max, np.frexp(x)[1] - 1)
    return np.where((x == 0) | np.isnan(x), limits.min, exponent)


def _norm(*sides: Array) -> Array:
    length = np.abs(sides[0].astype(np.float64))
    for side in sides[1:]:
        length = np.hypot(length, side.astype(np.float64))
    return length


def _inverse_norm(*sides: Array) -> Array:
    return 1 / _norm(*sides)


_NUMPY: dict[str, Function] = {
    **{name: getattr(np, name) for name in ("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "cbrt")},
    **{name: getattr(np, name) for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh", "floor", "ceil", "trunc")},
    **{f"a{name}": getattr(np, f"arc{name}") for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")},
    **{name: getattr(np, name) for name in ("fmod", "fmax", "fmin", "hypot", "copysign", "nextafter", "ldexp")},
    **dict.fromkeys(("fabs", "abs", "llabs"), np.abs),
    **dict.fromkeys(("rint", "nearbyint"), np.rint),
    **dict.fromkeys(("isinf", "isinfd"), np.isinf),
    **dict.fromkeys(("isnan", "isnand"), np.isnan),
    **dict.fromkeys(("finite", "isfinited"), np.isfinite),
    "signbit": np.signbit,
    "scalbn": np.ldexp,
    "atan2": np.arctan2,
    "max": np.maximum,
    "min": np.minimum,
    "pow": np.power,
    "fdivide": np.divide,
}
_SPECIAL: dict[str, Function] = {
    **{name: getattr(special, name) for name in ("erf", "erfc", "erfcx", "erfinv", "erfcinv", "normcdf", "normcdfinv")},
    **{name: getattr(bessel, name) for name in ("j0", "j1", "jn", "y0", "y1", "yn")},
    "lgamma": special.lgamma,
    "tgamma": special.tgamma,
    "cyl_bessel_i0": special.i0,
    "cyl_bessel_i1": special.i1,
}
_FLOATS: dict[str, Function] = {
    "exp10": lambda x: np.power(x.dtype.type(10), x),
    "rsqrt": rsqrt,
    "rcbrt": lambda x: 1 / np.cbrt(x),
    "round": _round_half_away,
    "sinpi": _of_half_turns(np.sin),
    "cospi": _of_half_turns(np.cos),
    "saturate": lambda x: np.clip(np.where(np.isnan(x), 0, x), 0, 1),
    "logb": _exponent,
    "ilogb": _integer_exponent,
    "powi": lambda x, n: np.power(x.astype(np.float64), n),
    "remainder": special.lane_by_lane(math.remainder, 2),
    "fdim": lambda x, y: np.where(x <= y, x.dtype.type(0), x - y),
    "fma": fma,
    "llrint": lambda x: to_integer(np.rint(x), np.dtype(np.int64)),
    "llround": lambda x: to_integer(_round_half_away(x), np.dtype(np.int64)),
    **dict.fromkeys(("norm3d", "norm4d"), _norm),
    **dict.fromkeys(("rhypot", "rnorm3d", "rnorm4d"), _inverse_norm),
    "rcp64h": _rough_reciprocal,
}
_INTEGERS: dict[str, Function] = {
    **dict.fromkeys(("popc", "popcll"), _bit_count),
    **dict.fromkeys(("clz", "clzll"), _leading_zeros),
    **dict.fromkeys(("ffs", "ffsll"), _first_set),
    **dict.fromkeys(("brev", "brevll"), _reversed_bits),
    **dict.fromkeys(("mulhi", "mul64hi"), _signed_high_half),
    **dict.fromkeys(("umulhi", "umul64hi"), high_half),
    **dict.fromkeys(("mul24", "umul24"), _low_24_bits),
    **dict.fromkeys(("hadd", "uhadd"), _wide(lambda a, b: (a + b) >> 1)),
    **dict.fromkeys(("rhadd", "urhadd"), _wide(lambda a, b: (a + b + 1) >> 1)),
    **dict.fromkeys(("sad", "usad"), _wide(lambda a, b, c: np.abs(a - b) + c)),
    "byte_perm": _byte_perm,
}
_BITS: dict[str, Function] = {
    **dict.fromkeys(("int_as_float", "uint_as_float"), _as(np.float32)),
    **dict.fromkeys(("float_as_int", "float_as_uint"), _as(np.uint32)),
    "longlong_as_double": _as(np.float64),
    "double_as_longlong": _as(np.int64),
    "hiloint2double": _from_halves,
    "double2hiint": _half_of_double(32),
    "double2loint": _half_of_double(0),
}
_NAMED: dict[str, Function] = {**_NUMPY, **_SPECIAL, **_FLOATS, **_INTEGERS, **_BITS}

_KINDS: dict[str, np.dtype[Any]] = {
    "int": np.dtype(np.int32),
    "uint": np.dtype(np.uint32),
    "ll": np.dtype(np.int64),
    "ull": np.dtype(np.uint64),
    "float": np.dtype(np.float32),
    "double": np.dtype(np.float64),
}
_CONVERSION = re.compile(r"(?:u?int|u?ll|float|double)2(u?int|u?ll|float|double)_(r[nzdu])")
_ROUNDED = re.compile(r"(?:[fd](add|sub|mul|div|rcp|r?sqrt)|(fma)f?)_(r[nzdu])")


def call_libdevice(symbol: str, arguments: list[Array]) -> Array:
    """The value of one libdevice function. Raises ``UnsupportedOperation`` for a symbol that is not known here."""
    function = _function(symbol)
    if function is None:
        raise UnsupportedOperation(f"libdevice function {symbol} is not supported without a GPU")
    return function(*arguments)


@cache
def _function(symbol: str) -> Function | None:
    name = symbol.removeprefix("__nv_")
    if conversion := _CONVERSION.fullmatch(name):
        return _converted(_KINDS[conversion[1]], conversion[2])
    if directed := _ROUNDED.fullmatch(name):
        return partial(rounded, directed[1] or directed[2], directed[3])
    base = name.removeprefix("fast_")
    for candidate in (base, base.removesuffix("f"), base.removesuffix("d")):
        if candidate in _NAMED:
            return _NAMED[candidate]
    return None


def _converted(kind: np.dtype[Any], side: str) -> Function:
    if kind.kind == "f":
        return lambda x: cast_to_float(x, kind, side)
    return lambda x: to_integer(TO_INTEGER[side](x), kind)
