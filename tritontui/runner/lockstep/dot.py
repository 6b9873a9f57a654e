"""Matrix products with the precision of NVIDIA's tensor cores.

TF32 keeps 10 bits of the mantissa by cutting the other 13 off (measured on an H200: 1 + 1.5·2⁻¹⁰ becomes 1 + 2⁻¹⁰);
products of such numbers are exact in float32, which accumulates them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tritontui.runner.lockstep.dtypes import is_rounded, register_dtype, round_to
from tritontui.runner.lockstep.values import Handle
from tritontui.runner.triton_compat import ir, tl

Array = NDArray[Any]

_CUT = np.uint32(0x1FFF)
"""Bits of float32's mantissa that TF32 hasn't."""


def dot(a: Handle, b: Handle, acc: Handle, precision: Any) -> Handle:
    """``a @ b + acc`` for every program."""
    left, right = a.full(), b.full()
    kind = acc.data.dtype
    if a.dtype.is_int():
        product = np.matmul(left.astype(np.float64), right.astype(np.float64)).astype(np.int64).astype(kind)
    elif a.dtype.name == "fp64":
        product = np.matmul(left, right)
    elif a.dtype.name == "fp32":
        product = _product_fp32(left, right, str(precision).rsplit(".", 1)[-1])
    else:
        product = np.matmul(left.astype(np.float32), right.astype(np.float32))
    total = product + acc.full()
    total = round_to(total, acc.dtype) if is_rounded(acc.dtype) else total.astype(kind, copy=False)
    return Handle(total, acc.dtype, (*a.shape[:-1], b.shape[-1]))


def loses_bits(a: Handle, b: Handle, precision: Any) -> bool:
    """Whether TF32 cuts anything off these float32 operands (small integers and fp16's numbers are exact in it)."""
    if a.dtype.name != "fp32" or not str(precision).endswith("TF32"):
        return False
    return any(bool((one.data.view(np.uint32) & _CUT).any()) for one in (a, b) if one.data.dtype == np.float32)


def _product_fp32(left: Array, right: Array, precision: str) -> Array:
    if precision == "TF32":
        left, right = cut_tf32(left), cut_tf32(right)
    if precision in ("TF32", "IEEE"):
        product: Array = np.matmul(left, right)
        return product
    if precision.startswith("BF16"):
        return _split_product(left, right, lambda x: round_to(x, tl.bfloat16), 3 if precision == "BF16x6" else 2)
    return _split_product(left, right, round_tf32, 2)


def _split_product(left: Array, right: Array, shorten: Any, pieces: int) -> Array:
    """Each operand as a sum of short numbers; the products of the large pieces are summed, small ones first."""
    lefts, rights = _pieces(left, shorten, pieces), _pieces(right, shorten, pieces)
    pairs = [(i, j) for i in range(pieces) for j in range(pieces) if i + j < pieces]
    total: Array = np.zeros((), np.float32)
    for i, j in sorted(pairs, key=sum, reverse=True):
        total = total + np.matmul(lefts[i], rights[j])
    return total


def _pieces(values: Array, shorten: Any, count: int) -> list[Array]:
    pieces = []
    for _ in range(count):
        piece = shorten(values)
        pieces.append(piece)
        values = values - piece
    return pieces


def cut_tf32(values: Array) -> Array:
    """float32 with the 13 lowest bits of the mantissa cleared."""
    patterns: Array = np.ascontiguousarray(values).view(np.uint32)
    cut: Array = patterns & np.uint32(0xFFFFE000)
    return cut.view(np.float32)


def round_tf32(values: Array) -> Array:
    """float32 rounded to 10 bits of mantissa, ties to even; infinities and NaNs stay."""
    patterns = np.ascontiguousarray(values, np.float32).view(np.uint32)
    bias = ((patterns >> np.uint32(13)) & np.uint32(1)) + np.uint32(0xFFF)
    rounded = ((patterns + bias) & np.uint32(0xFFFFE000)).view(np.float32)
    return np.where(np.isfinite(values), rounded, values)


# ---------------------------------------------------------------- scaled products (microscaling formats)

_E2M1 = np.array([0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0], np.float32)
_E2M1 = np.concatenate([_E2M1, -_E2M1])


def scaled_dot(
    a: Handle,
    a_scale: Handle | None,
    a_format: Any,
    b: Handle,
    b_scale: Handle | None,
    b_format: Any,
    a_k_pack: bool,
    b_k_pack: bool,
    acc: Handle,
) -> Handle:
    """``tl.dot_scaled``: operands times their block scales (powers of two), accumulated in float32."""
    left = _operand(a, a_format, -1 if a_k_pack else -2)
    right = _operand(b, b_format, -2 if b_k_pack else -1)
    if a_scale is not None:
        left = left * _scales(a_scale, left.shape[-1])
    if b_scale is not None:
        right = right * np.swapaxes(_scales(b_scale, right.shape[-2]), -1, -2)
    total = np.matmul(left, right) + acc.full()
    return Handle(total.astype(register_dtype(acc.dtype)), acc.dtype, total.shape[1:])


def _operand(value: Handle, fmt: Any, packed_axis: int) -> Array:
    full = value.full()
    if fmt != ir.ScaleDotElemTypeTY.E2M1:
        return full.astype(np.float32)
    moved = np.moveaxis(full.view(np.uint8), packed_axis, -1)
    codes = np.stack([moved & 0xF, moved >> 4], axis=-1).reshape(*moved.shape[:-1], -1)
    return np.moveaxis(_E2M1[codes], -1, packed_axis)


def _scales(scale: Handle, length: int) -> Array:
    """E8M0 bytes as float32, repeated over the elements that share one; 255 is NaN."""
    full = scale.full()
    if full.dtype.kind == "f":
        values = full.astype(np.float32)
    else:
        codes = full.view(np.uint8).astype(np.int32)
        values = np.where(codes == 255, np.float32(np.nan), np.ldexp(np.float32(1), codes - 127))
    return np.repeat(values, length // values.shape[-1], axis=-1)
