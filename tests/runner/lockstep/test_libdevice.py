"""Every function of CUDA's math library that Triton has, against mpmath (it comes with torch) or Python's integers."""

from __future__ import annotations

import inspect
import math
import re
import struct

import mpmath
import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from mpmath import mp
from triton.language.extra import libdevice
from triton.language.extra.cuda import libdevice as cuda_libdevice

from tritontui.runner.lockstep import tracing
from tritontui.runner.lockstep.libdevice import call_libdevice

KINDS = {
    "fp32": np.float32,
    "fp64": np.float64,
    "int32": np.int32,
    "uint32": np.uint32,
    "int64": np.int64,
    "uint64": np.uint64,
}
ROW = re.compile(r'\(\s*(core\.dtype\("\w+"\)[^:]*?)\)\s*:\s*\(\s*"__nv_(\w+)",\s*core\.dtype\("(\w+)"\)')
SIGNATURES = {
    name: ([np.dtype(KINDS[kind]) for kind in re.findall(r'"(\w+)"', given)], np.dtype(KINDS[result]))
    for given, name, result in ROW.findall(inspect.getsource(cuda_libdevice))
}
"""By symbol: dtypes of the arguments and of the result."""

UNITS = {np.dtype(np.float32): 4 * 2.0**-23, np.dtype(np.float64): 1e-13}
"""What is promised, relative: numpy's float32 functions are good to 4 units, and CUDA documents errors as large."""

ANY = [0.0, -0.0, 0.25, -0.7, 1.0, -1.0, 2.5, -3.75, 11.3, -20.5, 0.49999997]
POSITIVE = [1e-30, 1e-3, 0.3, 1.0, 1.5, 2.0, 7.25, 40.0, 1e5]
PAIRS = [(a, b) for a in (-3.5, -0.25, 0.75, 2.0, 9.5) for b in (-2.25, 0.5, 3.0)]
TRIPLES = [(3.0, 4.0, 12.0), (-1.5, 0.25, 1e-3), (1e20, 1e20, -1e20), (0.0, -0.0, 2.0)]


def bessel_second(n, x):
    return mp.bessely(n, x) if x > 0 else mp.ninf if x == 0 else mp.nan


def away_from_zero(x):
    return mp.sign(x) * mp.floor(abs(x) + mp.mpf(1) / 2)


def norm(*sides):
    return mp.sqrt(sum(side**2 for side in sides))


REAL = {
    **{
        name: (getattr(mp, name), ANY)
        for name in ("exp", "expm1", "sin", "cos", "sinh", "cosh", "tanh", "asinh", "atan")
    },
    **{name: (getattr(mp, name), ANY) for name in ("erf", "erfc", "floor", "ceil")},
    **{name: (getattr(mp, name), POSITIVE) for name in ("log", "log10", "log1p", "sqrt", "cbrt")},
    **{name: (getattr(mp, name), [0.0, 0.5, -0.25, 0.75, -1.0]) for name in ("asin", "acos")},
    **dict.fromkeys(("fabs",), (abs, ANY)),
    **dict.fromkeys(("rint", "nearbyint"), (mp.nint, ANY)),
    "tan": (mp.tan, [0.0, 0.25, -0.7, 1.0, -1.0, 2.5]),
    "exp2": (lambda x: mp.mpf(2) ** x, ANY),
    "exp10": (lambda x: mp.mpf(10) ** x, ANY),
    "log2": (lambda x: mp.log(x, 2), POSITIVE),
    "acosh": (mp.acosh, [1.0, 1.5, 20.0]),
    "atanh": (mp.atanh, [0.0, 0.5, -0.75]),
    "rsqrt": (lambda x: 1 / mp.sqrt(x), POSITIVE),
    "rcbrt": (lambda x: 1 / mp.cbrt(x), POSITIVE),
    "trunc": (lambda x: mp.sign(x) * mp.floor(abs(x)), ANY),
    "round": (away_from_zero, [*ANY, 0.5, -2.5, 8388609.0]),
    "llround": (away_from_zero, [*ANY, 0.5, -2.5, 8388609.0]),
    "llrint": (mp.nint, [*ANY, 0.5, -2.5]),
    "sinpi": (mp.sinpi, [*ANY, 0.5, 1e6, 100000.25]),
    "cospi": (mp.cospi, [*ANY, 0.5, 1e6, 100000.25]),
    "erfcx": (lambda x: mp.exp(mp.mpf(x) ** 2) * mp.erfc(x), [-3.0, 0.0, 0.5, 5.0, 80.0]),
    "erfinv": (mp.erfinv, [0.0, 0.3, -0.9, 0.9999]),
    "erfcinv": (lambda y: mp.erfinv(1 - mp.mpf(y)), [1e-20, 0.25, 1.0, 1.75]),
    "normcdf": (mp.ncdf, [*ANY, -12.0]),
    "normcdfinv": (lambda y: mp.sqrt(2) * mp.erfinv(2 * mp.mpf(y) - 1), [1e-20, 0.25, 0.5, 0.975]),
    "lgamma": (lambda x: mp.log(abs(mp.gamma(x))), [0.25, -0.7, 2.5, -3.75, 40.0]),
    "tgamma": (mp.gamma, [0.25, -0.7, 2.5, -3.75, 20.0]),
    "saturate": (lambda x: min(max(x, 0), 1), ANY),
    "logb": (lambda x: mp.floor(mp.log(x, 2)), [1e-3, 0.5, 1.0, 7.99, 8.0, 2.0**100]),
    "ilogb": (lambda x: mp.floor(mp.log(x, 2)), [1e-3, 0.5, 1.0, 7.99, 8.0, 2.0**100]),
    "j0": (lambda x: mp.besselj(0, x), [*ANY, 60.0]),
    "j1": (lambda x: mp.besselj(1, x), [*ANY, 60.0]),
    "y0": (lambda x: bessel_second(0, x), [*POSITIVE[1:8], 0.0, -1.0]),
    "y1": (lambda x: bessel_second(1, x), [*POSITIVE[1:8], 0.0, -1.0]),
    "cyl_bessel_i0": (lambda x: mp.besseli(0, x), ANY),
    "cyl_bessel_i1": (lambda x: mp.besseli(1, x), ANY),
    **{name: (lambda x, y: mp.mpf(x) / y, PAIRS) for name in ("fdivide",)},
    "fmod": (lambda x, y: mp.sign(x) * mp.fmod(abs(x), abs(y)), PAIRS),
    "remainder": (math.remainder, PAIRS),
    "fmax": (max, PAIRS),
    "fmin": (min, PAIRS),
    "hypot": (norm, PAIRS),
    "rhypot": (lambda *sides: 1 / norm(*sides), PAIRS),
    "atan2": (mp.atan2, PAIRS),
    "copysign": (math.copysign, PAIRS),
    "fdim": (lambda x, y: max(mp.mpf(x) - y, 0), PAIRS),
    "pow": (mp.power, [(0.5, 3.0), (2.0, -1.5), (-2.0, 3.0), (7.0, 0.25)]),
    "powi": (mp.power, [(0.5, 3), (2.0, -2), (-2.0, 3), (7.0, 0)]),
    "ldexp": (mp.ldexp, [(0.75, 3), (-1.5, -7), (3.0, 0)]),
    "scalbn": (mp.ldexp, [(0.75, 3), (-1.5, -7), (3.0, 0)]),
    "jn": (mp.besselj, [(0, 2.5), (1, 2.5), (2, 0.25), (5, 9.5), (7, -3.0), (40, 3.0), (3, 60.0), (2, 0.0)]),
    "yn": (bessel_second, [(0, 2.5), (1, 2.5), (2, 0.25), (5, 9.5), (12, 3.0), (3, 60.0), (2, 0.0), (1, -1.0)]),
    "fma": (lambda x, y, z: mp.mpf(x) * y + z, TRIPLES),
    "norm3d": (norm, TRIPLES),
    "rnorm3d": (lambda *sides: 1 / norm(*sides), TRIPLES),
    "norm4d": (norm, [(*triple, 1.0) for triple in TRIPLES]),
    "rnorm4d": (lambda *sides: 1 / norm(*sides), [(*triple, 1.0) for triple in TRIPLES]),
}
"""By base name: the function in mpmath, and what it is tried on."""
GOOD_TO = {
    "j0": 1e-15,
    "j1": 1e-15,
    "y0": 1e-15,
    "y1": 1e-15,
    "jn": 1e-14,
    "yn": 1e-14,
    "sin": 1e-15,
    "cos": 1e-15,
    "tan": 1e-15,
}
"""Absolute, where a function crosses zero, and in float64; in float32 2⁻²³ at most."""


def base(symbol):
    name = symbol.removeprefix("fast_")
    return next((one for one in (name, name.removesuffix("f"), name.removesuffix("d")) if one in REAL), None)


def result_of(symbol, columns):
    given, result = SIGNATURES[symbol]
    arrays = [np.array(column, kind) for column, kind in zip(columns, given, strict=True)]
    with np.errstate(all="ignore"):
        return call_libdevice(f"__nv_{symbol}", arrays).astype(result), arrays


REALS = [symbol for symbol in SIGNATURES if base(symbol)]


@pytest.mark.parametrize("symbol", REALS)
def test_real_functions(symbol):
    name = base(symbol)
    function, points = REAL[name]
    rows = [point if isinstance(point, tuple) else (point,) for point in points]
    ours, arrays = result_of(symbol, list(zip(*rows, strict=True)))
    wide = np.dtype(np.float64) if np.float64 in {array.dtype.type for array in arrays} else np.dtype(np.float32)
    absolute = max(GOOD_TO.get(name, 0.0), 2.0**-23 if name in GOOD_TO and wide == np.float32 else 0.0)
    with mp.workdps(60):
        exact = np.array([float(mp.re(function(*(one.item() for one in row)))) for row in zip(*arrays, strict=True)])
    with np.errstate(over="ignore"):
        expected = exact.astype(ours.dtype)
    np.testing.assert_allclose(ours.astype(np.float64), expected, rtol=UNITS[wide], atol=absolute)


OPERATIONS = {"add": mp.fadd, "sub": mp.fsub, "mul": mp.fmul, "div": mp.fdiv}
SIDES = {"rn": "n", "rz": "d", "rd": "f", "ru": "c"}
ROUNDED = re.compile(r"[fd](add|sub|mul|div|rcp|sqrt|rsqrt)_(r\w)|(fma)f?_(r\w)")


def values(kind, seed):
    numbers = np.random.default_rng(seed).standard_normal(40) * np.logspace(-6, 6, 40)
    return numbers.astype(kind)


@pytest.mark.parametrize("symbol", [symbol for symbol in SIGNATURES if ROUNDED.fullmatch(symbol)])
def test_arithmetic_rounded_to_a_side(symbol):
    parts = [part for part in ROUNDED.fullmatch(symbol).groups() if part]
    given, _ = SIGNATURES[symbol]
    places = 24 if given[0] == np.float32 else 53
    columns = [values(kind, seed) for seed, kind in enumerate(given)]
    if "sqrt" in parts[0]:
        columns = [np.abs(columns[0])]
    ours, _ = result_of(symbol, columns)
    for mine, *row in zip(ours, *columns, strict=True):
        exact = [mpmath.mpf(float(one)) for one in row]
        with mp.workprec(2000):
            value = {
                "fma": lambda a, b, c: a * b + c,
                "rcp": lambda a: 1 / a,
                "sqrt": mp.sqrt,
                "rsqrt": lambda a: 1 / mp.sqrt(a),
            }.get(parts[0], OPERATIONS.get(parts[0]))(*exact)
        assert mpmath.mpf(float(mine)) == mp.fadd(value, 0, prec=places, rounding=SIDES[parts[1]])


@pytest.mark.parametrize(
    ("symbol", "given", "expected"),
    [
        ("fadd_rz", (3e38, 3e38), np.finfo(np.float32).max),
        ("fadd_ru", (3e38, 3e38), np.inf),
        ("fadd_rd", (-3e38, -3e38), -np.inf),
        ("fadd_rd", (1.5, -1.5), -0.0),
        ("fadd_rd", (0.0, 0.0), 0.0),
        ("fmul_ru", (1e-40, 1e-40), 2.0**-149),
        ("fmul_rz", (1e-40, 1e-40), 0.0),
        ("fdiv_rz", (1.0, 0.0), np.inf),
        ("frcp_rz", (0.0,), np.inf),
        ("fsqrt_rd", (-1.0,), np.nan),
        ("dadd_rz", (np.inf, 1.0), np.inf),
        ("double2float_rz", (1e300,), np.finfo(np.float32).max),
        ("double2float_rn", (1e300,), np.inf),
        ("lgammaf", (-2.0,), np.inf),
        ("tgamma", (-0.0,), -np.inf),
        ("tgamma", (-2.0,), np.nan),
        ("logbf", (0.0,), -np.inf),
        ("logb", (-np.inf,), np.inf),
        ("fdimf", (np.nan, 1.0), np.nan),
        ("saturatef", (np.nan,), 0.0),
        ("erfcinv", (0.0,), np.inf),
        ("normcdfinv", (1.0,), np.inf),
        ("jn", (-1, 2.0), np.nan),
        ("jn", (3, np.inf), 0.0),
        ("yn", (3, np.inf), 0.0),
        ("rhypot", (0.0, 0.0), np.inf),
        ("nextafter", (1.0, 2.0), 1 + 2.0**-52),
        ("nextafterf", (1.0, 0.0), 1 - 2.0**-24),
    ],
)
def test_edges(symbol, given, expected):
    ours, _ = result_of(symbol, [[one] for one in given])
    np.testing.assert_array_equal(ours, np.array([expected]).astype(ours.dtype))
    assert np.isnan(expected) or np.signbit(ours[0]) == np.signbit(expected)


CONVERSION = re.compile(r"(u?int|u?ll|float|double)2(u?int|u?ll|float|double)_(r\w)")
WHOLE = {"rn": round, "rz": math.trunc, "rd": math.floor, "ru": math.ceil}
LIMITS = {"int": (-(2**31), 2**31 - 1), "uint": (0, 2**32 - 1), "ll": (-(2**63), 2**63 - 1), "ull": (0, 2**64 - 1)}


@pytest.mark.parametrize("symbol", [symbol for symbol in SIGNATURES if CONVERSION.fullmatch(symbol)])
def test_conversions(symbol):
    source, target, side = CONVERSION.fullmatch(symbol).groups()
    if source in LIMITS:
        low, high = LIMITS[source]
        column = [low, low // 3 + 1, 0, 1, 16777217, high // 7, high - 1, high]
    else:
        column = [-1e30, -3e9, -2.5, -1.5, -0.3, 0.0, 0.5, 1.5, 2.75, 1e9, 3e9, 6e9, 1e30]
    ours, (array,) = result_of(symbol, [column])
    for mine, given in zip(ours, array.tolist(), strict=True):
        if target in LIMITS:
            low, high = LIMITS[target]
            expected = min(max(WHOLE[side](given), low), high)
            assert int(mine) % 2 ** (8 * ours.itemsize) == expected % 2 ** (8 * ours.itemsize)
        else:
            places = 24 if target == "float" else 53
            with mp.workprec(200):
                exact = mpmath.mpf(given)
            assert mpmath.mpf(float(mine)) == mp.fadd(exact, 0, prec=places, rounding=SIDES[side])


def wrapped(value, kind):
    bits = 8 * kind.itemsize
    value %= 2**bits
    return value - 2**bits if kind.kind == "i" and value >= 2 ** (bits - 1) else value


def low_24(x, kind):
    return wrapped((x % 2**24) << 8, np.dtype(f"{kind.kind}4")) >> 8


def chosen_bytes(x, y, selector):
    eight = struct.pack("<II", x % 2**32, y % 2**32)
    return int.from_bytes(bytes(eight[selector >> 4 * place & 7] for place in range(4)), "little")


def bits_of(x, kind):
    return format(x % 2 ** (8 * kind.itemsize), f"0{8 * kind.itemsize}b")


INTEGER = {
    **dict.fromkeys(("abs", "llabs"), lambda k, x: abs(x)),
    **dict.fromkeys(("popc", "popcll"), lambda k, x: bits_of(x, k).count("1")),
    **dict.fromkeys(("clz", "clzll"), lambda k, x: (bits_of(x, k) + "1").index("1")),
    **dict.fromkeys(("ffs", "ffsll"), lambda k, x: bits_of(x, k)[::-1].find("1") + 1),
    **dict.fromkeys(("brev", "brevll"), lambda k, x: int(bits_of(x, k)[::-1], 2)),
    **dict.fromkeys(("mulhi", "umulhi", "mul64hi", "umul64hi"), lambda k, a, b: a * b >> 8 * k.itemsize),
    **dict.fromkeys(("mul24", "umul24"), lambda k, a, b: low_24(a, k) * low_24(b, k)),
    **dict.fromkeys(("hadd", "uhadd"), lambda k, a, b: a + b >> 1),
    **dict.fromkeys(("rhadd", "urhadd"), lambda k, a, b: a + b + 1 >> 1),
    **dict.fromkeys(("sad", "usad"), lambda k, a, b, c: abs(a - b) + c),
    **dict.fromkeys(("min", "umin", "llmin", "ullmin"), lambda k, a, b: min(a, b)),
    **dict.fromkeys(("max", "umax", "llmax", "ullmax"), lambda k, a, b: max(a, b)),
    "byte_perm": lambda k, x, y, s: chosen_bytes(x, y, s),
}


@pytest.mark.parametrize("symbol", [symbol for symbol in SIGNATURES if symbol in INTEGER])
def test_integers(symbol):
    given, result = SIGNATURES[symbol]
    samples = [0, 1, 5, 123456789, -1, -7, 2**31 - 1, -(2**31), 0x7531, 2**63 - 1, -(2**62)]
    numbers = [[wrapped(one, kind) for one in samples] for kind in given]
    columns = [numbers[place][place:] + numbers[place][:place] for place in range(len(given))]
    ours, _ = result_of(symbol, columns)
    for mine, *row in zip(ours, *columns, strict=True):
        assert int(mine) == wrapped(INTEGER[symbol](given[0], *row), result), row


BITS = {
    **dict.fromkeys(("int_as_float", "uint_as_float", "float_as_int", "float_as_uint"), ("f", "i")),
    **dict.fromkeys(("longlong_as_double", "double_as_longlong"), ("d", "q")),
}


def test_bits_are_kept():
    for symbol, (real, whole) in BITS.items():
        numbers = [0.0, -0.0, 1.5, -2.0, float("inf")]
        patterns = [struct.unpack(whole, struct.pack(real, one))[0] for one in numbers]
        to_real = SIGNATURES[symbol][1].kind == "f"
        given, _ = SIGNATURES[symbol]
        ours, _ = result_of(symbol, [np.array(patterns).astype(given[0]) if to_real else numbers])
        assert ours.tolist() == (numbers if to_real else patterns), symbol
    high, _ = result_of("double2hiint", [[-2.5, math.pi]])
    low, _ = result_of("double2loint", [[-2.5, math.pi]])
    whole, _ = result_of("hiloint2double", [high, low])
    assert whole.tolist() == [-2.5, math.pi]


def test_tests_of_a_number():
    numbers = [0.0, -1.5, np.inf, -np.inf, np.nan]
    for test, holds in {
        "isinf": [False, False, True, True, False],
        "isnan": [False, False, False, False, True],
        "finite": [True, True, False, False, False],
        "signbit": [False, True, False, True, False],
    }.items():
        for symbol in (f"{test}f", "isfinited" if test == "finite" else f"{test}d"):
            assert (result_of(symbol, [numbers])[0] != 0).tolist() == holds, symbol


def test_a_rough_reciprocal_is_near():
    ours, _ = result_of("rcp64h", [[3.0, -1e-5, 1e300, 0.0]])
    np.testing.assert_allclose(ours, [1 / 3, -1e5, 1e-300, np.inf], rtol=2.0**-19)


def test_nothing_is_left_out():
    apart = {"double2hiint", "double2loint", "hiloint2double", "rcp64h", "nextafter", "nextafterf", *BITS}
    tests = {"isinff", "isinfd", "isnanf", "isnand", "finitef", "isfinited", "signbitf", "signbitd"}
    known = {*REALS, *INTEGER, *apart, *tests}
    left = [s for s in SIGNATURES if s not in known and not CONVERSION.fullmatch(s) and not ROUNDED.fullmatch(s)]
    assert len(SIGNATURES) > 300
    assert left == []


@triton.jit
def _several(x_ptr, out_ptr, whole_ptr, N: tl.constexpr):
    offsets = tl.arange(0, N)
    x = tl.load(x_ptr + offsets)
    tl.store(out_ptr + offsets, libdevice.j0(x) + libdevice.norm3d(x, 1.0, 2.0) + libdevice.add_ru(x, 1.0))
    tl.store(whole_ptr + offsets, libdevice.float2int_rd(x) + libdevice.popc(libdevice.float_as_int(x)))


def test_in_a_kernel():
    x = torch.linspace(-4, 4, 16)
    out, whole = torch.empty(16), torch.empty(16, dtype=torch.int32)
    with tracing() as session:
        _several[(1,)](x, out, whole, N=16)
    assert session.traces[0].complete
    expected = torch.special.bessel_j0(x.double()) + (x.double() ** 2 + 5).sqrt() + x.double() + 1
    torch.testing.assert_close(out.double(), expected, rtol=1e-6, atol=1e-6)
    counts = [f"{pattern & 0xFFFFFFFF:b}".count("1") for pattern in x.view(torch.int32).tolist()]
    assert whole.tolist() == [math.floor(one) + count for one, count in zip(x.tolist(), counts, strict=True)]
