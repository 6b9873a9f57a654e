"""How Triton's dtypes live in numpy: as registers (what arithmetic sees) and in memory (what tensors hold).

bf16 and the fp8 formats have no numpy dtype: their registers are float32 arrays that hold representable values only,
rounded after every operation, which is what the hardware computes; in memory they are uint16 and uint8 bit patterns.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tritontui.runner.triton_compat import tl

Array = NDArray[Any]

_PLAIN = {
    "int8": np.int8,
    "uint8": np.uint8,
    "int16": np.int16,
    "uint16": np.uint16,
    "int32": np.int32,
    "uint32": np.uint32,
    "int64": np.int64,
    "uint64": np.uint64,
    "fp16": np.float16,
    "fp32": np.float32,
    "fp64": np.float64,
}


@dataclass(frozen=True)
class _Float8:
    """One 8-bit format; ``special`` says what its top codes mean."""

    exponent_bits: int
    mantissa_bits: int
    bias: int
    special: str
    """``ieee``: infinities and NaNs; ``fn``: the last code is NaN; ``fnuz``: 0x80 is NaN; ``none``: all finite."""


_FLOAT8 = {
    "fp8e5": _Float8(5, 2, 15, "ieee"),
    "fp8e4nv": _Float8(4, 3, 7, "fn"),
    "fp8e5b16": _Float8(5, 2, 16, "fnuz"),
    "fp8e4b8": _Float8(4, 3, 8, "fnuz"),
    "fp8e4b15": _Float8(4, 3, 15, "none"),
}

REGISTER: dict[str, np.dtype[Any]] = {
    "int1": np.dtype(np.bool_),
    "bf16": np.dtype(np.float32),
    **{name: np.dtype(kind) for name, kind in _PLAIN.items()},
    **{name: np.dtype(np.float32) for name in _FLOAT8},
}
MEMORY: dict[str, np.dtype[Any]] = {
    "int1": np.dtype(np.uint8),
    "bf16": np.dtype(np.uint16),
    **{name: np.dtype(kind) for name, kind in _PLAIN.items()},
    **{name: np.dtype(np.uint8) for name in _FLOAT8},
}
SHORT = {
    "int1": "i1",
    "int8": "i8",
    "uint8": "u8",
    "int16": "i16",
    "uint16": "u16",
    "int32": "i32",
    "uint32": "u32",
    "int64": "i64",
    "uint64": "u64",
}

TORCH = {
    "torch.bool": tl.int1,
    "torch.int8": tl.int8,
    "torch.uint8": tl.uint8,
    "torch.int16": tl.int16,
    "torch.uint16": tl.uint16,
    "torch.int32": tl.int32,
    "torch.uint32": tl.uint32,
    "torch.int64": tl.int64,
    "torch.uint64": tl.uint64,
    "torch.float16": tl.float16,
    "torch.bfloat16": tl.bfloat16,
    "torch.float32": tl.float32,
    "torch.float64": tl.float64,
    "torch.float8_e5m2": tl.float8e5,
    "torch.float8_e4m3fn": tl.float8e4nv,
    "torch.float8_e5m2fnuz": tl.float8e5b16,
    "torch.float8_e4m3fnuz": tl.float8e4b8,
}


def short_name(dtype: Any) -> str:
    """Triton's name in signatures: ``fp32``, ``bf16``, ``i32``, ``u8``, ``i1``."""
    return SHORT.get(dtype.name, str(dtype.name))


def element_bytes(dtype: Any) -> int:
    """Bytes of one element in memory; a pointer takes eight."""
    return 8 if dtype.is_ptr() else MEMORY[dtype.name].itemsize


def register_dtype(dtype: Any) -> np.dtype[Any]:
    """numpy's dtype for registers of ``dtype`` (a scalar dtype or a pointer)."""
    return np.dtype(np.int64) if dtype.is_ptr() else REGISTER[dtype.name]


def memory_dtype(dtype: Any) -> np.dtype[Any]:
    """numpy's dtype for elements of ``dtype`` in memory."""
    return np.dtype(np.int64) if dtype.is_ptr() else MEMORY[dtype.name]


def is_rounded(dtype: Any) -> bool:
    """Do registers of ``dtype`` hold float32 values that must be rounded after each operation?"""
    return dtype.name == "bf16" or dtype.name in _FLOAT8


def round_to(values: Array, dtype: Any, *, toward_zero: bool = False) -> Array:
    """float32 ``values`` rounded to bf16 or an fp8 format (which saturate, as ``cvt.satfinite`` does), as float32."""
    if dtype.name == "bf16":
        return _round_bf16(np.asarray(values, np.float32), toward_zero)
    codes = _encode_float8(np.asarray(values, np.float32), dtype.name, toward_zero)
    return _float8_values(dtype.name)[codes]


def decode(raw: Array, dtype: Any) -> Array:
    """Elements as they lie in memory → registers."""
    name = dtype.name
    if name == "bf16":
        wide: Array = raw.astype(np.uint32) << np.uint32(16)
        return wide.view(np.float32)
    if name in _FLOAT8:
        return _float8_values(name)[raw]
    if name == "int1":
        return np.not_equal(raw, 0)
    return raw


def encode(values: Array, dtype: Any) -> Array:
    """Registers → elements as they lie in memory."""
    name = dtype.name
    if name == "bf16":
        patterns: Array = np.ascontiguousarray(values, np.float32).view(np.uint32)
        high: Array = patterns >> np.uint32(16)
        return high.astype(np.uint16)
    if name in _FLOAT8:
        return _encode_float8(np.asarray(values, np.float32), name, False)
    if name == "int1":
        return values.astype(np.uint8)
    return values


def bits(values: Array, dtype: Any) -> Array:
    """The bit patterns of registers, in an unsigned dtype of the same width (bool stays bool)."""
    if dtype.name == "int1":
        return values
    raw = np.ascontiguousarray(encode(values, dtype))
    return raw.view(np.dtype(f"u{raw.dtype.itemsize}"))


def from_bits(patterns: Array, dtype: Any) -> Array:
    """Registers of ``dtype`` with these bit patterns (of the same width)."""
    if dtype.name == "int1":
        return np.not_equal(patterns, 0)
    memory = MEMORY[dtype.name]
    return decode(np.ascontiguousarray(patterns).view(memory), dtype)


def extreme(dtype: Any, high: bool) -> Any:
    """A finite value far out in ``dtype``, for lanes that a load leaves undefined."""
    kind = register_dtype(dtype)
    if kind == np.bool_:
        return high
    if kind.kind == "f":
        largest = float(np.finfo(np.float32).max) if dtype.name in ("bf16", "fp32") else _largest(dtype, kind)
        return kind.type(largest / 4 if high else -largest / 4)
    limits = np.iinfo(kind)
    if kind.kind == "u":
        return kind.type(limits.max // 4 if high else 3)
    return kind.type(limits.max // 4 if high else limits.min // 4)


def _largest(dtype: Any, kind: np.dtype[Any]) -> float:
    if dtype.name in _FLOAT8:
        values = _float8_values(dtype.name)
        return float(np.max(values[np.isfinite(values)]))
    return float(np.finfo(kind).max)


def _round_bf16(values: Array, toward_zero: bool) -> Array:
    patterns = np.ascontiguousarray(values).view(np.uint32)
    if toward_zero:
        cut: Array = patterns & np.uint32(0xFFFF0000)
        return cut.view(np.float32)
    half = ((patterns >> np.uint32(16)) & np.uint32(1)) + np.uint32(0x7FFF)
    rounded: Array = ((patterns + half) & np.uint32(0xFFFF0000)).view(np.float32)
    nan = np.isnan(values)
    return np.where(nan, np.float32(np.nan), rounded) if nan.any() else rounded


@cache
def _float8_values(name: str) -> Array:
    """Value of each of the 256 codes."""
    fmt = _FLOAT8[name]
    codes = np.arange(256)
    exponent = (codes >> fmt.mantissa_bits) & ((1 << fmt.exponent_bits) - 1)
    mantissa = codes & ((1 << fmt.mantissa_bits) - 1)
    fraction = mantissa / (1 << fmt.mantissa_bits)
    value = np.where(
        exponent == 0,
        np.ldexp(fraction, 1 - fmt.bias),
        np.ldexp(1 + fraction, exponent - fmt.bias),
    )
    if fmt.special == "ieee":
        top = exponent == (1 << fmt.exponent_bits) - 1
        value = np.where(top, np.where(mantissa == 0, np.inf, np.nan), value)
    if fmt.special == "fn":
        value = np.where((codes & 0x7F) == 0x7F, np.nan, value)
    value = np.where(codes >= 128, -value, value)
    if fmt.special == "fnuz":
        value = np.where(codes == 128, np.nan, value)
    return value.astype(np.float32)


@cache
def _float8_steps(name: str) -> tuple[Array, Array]:
    """Finite positive values (index = code) and the midpoints between neighbours."""
    values = _float8_values(name)[:128]
    finite = values[np.isfinite(values)].astype(np.float64)
    return finite, (finite[1:] + finite[:-1]) / 2


def _encode_float8(values: Array, name: str, toward_zero: bool) -> Array:
    """Nearest code, ties to even, saturating; NaN to the format's NaN (zero where it has none)."""
    finite, middle = _float8_steps(name)
    size = np.abs(values).astype(np.float64)
    nan = np.isnan(size)
    if toward_zero:
        code = np.searchsorted(finite, np.where(nan, 0, size), side="right") - 1
    else:
        code = np.searchsorted(middle, np.where(nan, 0, size), side="left")
        inside = np.minimum(code, len(middle) - 1)
        code = code + ((middle[inside] == size) & (code < len(middle)) & (code & 1 == 1))
    code = np.minimum(code, len(finite) - 1)
    special = _FLOAT8[name].special
    negative = np.signbit(values)
    if special == "fnuz":
        negative = negative & (code != 0)
    code = code | np.where(negative, 0x80, 0)
    if nan.any():
        pattern = {"ieee": 0x7F, "fn": 0x7F, "fnuz": 0x80, "none": 0}[special]
        code = np.where(nan, pattern, code)
    return code.astype(np.uint8)
