"""Reductions, scans and elementwise maps, with the standard library's combine functions recognised.

A combine function of the learner works on scalars and may branch on them: every lane becomes a program of its own
while it runs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tritontui.runner.lockstep.builder import Builder
from tritontui.runner.lockstep.dtypes import is_rounded, register_dtype, round_to
from tritontui.runner.lockstep.numeric import integer_limits
from tritontui.runner.lockstep.padding import counted, exchanged, padded_lanes, reduced_without
from tritontui.runner.lockstep.suspects import Overflow
from tritontui.runner.lockstep.values import Handle
from tritontui.runner.triton_compat import combine_functions, in_sorting_network, tl

Array = NDArray[Any]
CallJit = Callable[[Any, tuple[Any, ...], dict[str, Any]], Any]

_BITWISE = {"xor": np.bitwise_xor, "or": np.bitwise_or}
_ARG = {"argmax_left": np.argmax, "argmax_fast": np.argmax, "argmin_left": np.argmin, "argmin_fast": np.argmin}


class Reductions:
    """``tl.reduce``, ``tl.associative_scan`` and ``tl.map_elementwise`` over a builder."""

    def __init__(self, builder: Builder, call_jit: CallJit) -> None:
        self.builder = builder
        self.call_jit = call_jit

    # ------------------------------------------------------------ public: what the language calls

    def reduce(self, input: Any, axis: Any, combine_fn: Any, keep_dims: Any = False, **_: Any) -> Any:
        single = isinstance(input, tl.tensor)
        tensors = [input] if single else list(input)
        axis, keep_dims = _plain(axis), bool(_plain(keep_dims))
        shape = tensors[0].handle.shape
        handles = [tensor.handle for tensor in tensors]
        if axis is None:
            handles = [self.builder.create_reshape(handle, (int(np.prod(handle.shape)),)) for handle in handles]
            where, kept = 0, (1,) * len(shape) if keep_dims else ()
        else:
            where = _axis(axis, len(shape))
            kept = (*shape[:where], *((1,) if keep_dims else ()), *shape[where + 1 :])
        reduced = self._reduced(handles, where, _plain(combine_fn))
        results = [_tensor(self.builder.create_reshape(handle, kept)) for handle in reduced]
        return results[0] if single else tuple(results)

    def associative_scan(self, input: Any, axis: Any, combine_fn: Any, reverse: Any = False, **_: Any) -> Any:
        single = isinstance(input, tl.tensor)
        tensors = [input] if single else list(input)
        where = _axis(_plain(axis), len(tensors[0].handle.shape)) + 1
        backwards = bool(_plain(reverse))
        handles = [tensor.handle for tensor in tensors]
        datas = [np.flip(h.full(), where) if backwards else h.full() for h in handles]
        scanned = self._scanned(handles, datas, where, _plain(combine_fn))
        results = []
        for handle, data in zip(handles, scanned, strict=True):
            out = np.flip(data, where) if backwards else data
            results.append(_tensor(Handle(out, handle.dtype, handle.shape)))
        return results[0] if single else tuple(results)

    def map_elementwise(self, scalar_fn: Any, *args: Any, pack: Any = 1, **_: Any) -> Any:
        semantic = self.builder.control.semantic
        pack = int(_plain(pack))
        tensors = list(semantic.broadcast_tensors(*(semantic.to_tensor(one) for one in args)))
        rows = max(tensor.handle.data.shape[0] for tensor in tensors)
        shape = tensors[0].handle.shape
        flat = []
        for tensor in tensors:
            data = np.broadcast_to(tensor.handle.full(), (rows, *shape)).reshape(-1, pack)
            flat += [Handle(data[:, lane], tensor.handle.dtype) for lane in range(pack)]
        results = self._on_scalars(scalar_fn, flat)
        outputs = []
        for first in range(0, len(results), pack):
            packed = np.stack([result.data for result in results[first : first + pack]], axis=-1)
            outputs.append(_tensor(Handle(packed.reshape(rows, *shape), results[first].dtype, shape)))
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    # ------------------------------------------------------------ reductions

    def _reduced(self, handles: list[Handle], axis: int, combine: Any) -> list[Handle]:
        known = _name_of(combine)
        lanes = handles[0].shape
        shape = (*lanes[:axis], *lanes[axis + 1 :])
        first = handles[0]
        if len(handles) == 1 and known in ("sum", "max", "min", "product", *_BITWISE):
            result = self._known_reduction(first, axis, shape, known)
            return [self._without_padding(first, axis, shape, known, result)]
        if len(handles) == 2 and known in _ARG and not _has_nan(first.data):
            values, index = (handle.full() for handle in handles)
            rows = max(values.shape[0], index.shape[0])
            values, index = (np.broadcast_to(one, (rows, *lanes)) for one in (values, index))
            where = np.expand_dims(_ARG[known](values, axis=axis + 1), axis + 1)
            picked = (np.take_along_axis(one, where, axis + 1).squeeze(axis + 1) for one in (values, index))
            results = [Handle(d, h.dtype, shape, h.low, h.high) for d, h in zip(picked, handles, strict=True)]
            return self._picked_without_padding(first, index, axis, known, results)
        results = self._by_halves(handles, axis, shape, combine)
        return self._combined_without_padding(handles, axis, shape, combine, results)

    def _combined_without_padding(
        self, handles: list[Handle], axis: int, shape: tuple[int, ...], combine: Any, results: list[Handle]
    ) -> list[Handle]:
        """Results of a learner's combine function, marked where they depend on lanes that a load's mask switched off.

        Such lanes are passed over in a second tree, since nothing is known that would change nothing in ``combine``.
        """
        births = self.builder.births
        padded = [(handle, lanes) for handle in handles if (lanes := padded_lanes(births, handle)) is not None]
        if not padded:
            return results
        handle, lanes = padded[0]
        active = (~lanes).any(axis=axis + 1)
        without = self._by_halves(handles, axis, shape, combine, ~lanes)
        for result, other in zip(results, without, strict=True):
            with_all, passed_over = np.broadcast_arrays(result.data, other.data)
            alike = ~active | np.isclose(with_all, passed_over, rtol=_tolerance(result.dtype), atol=0, equal_nan=True)
            marks = counted(births, handle, lanes, _called(combine), with_all, np.where(alike, with_all, passed_over))
            result.taint = marks
        return results

    def _picked_without_padding(
        self, values: Handle, index: Array, axis: int, known: str, results: list[Handle]
    ) -> list[Handle]:
        """Results of argmax and argmin, marked where a lane won that a load's mask switched off."""
        if values.taint is None:
            return results

        def winners(data: Array) -> Array:
            where = np.expand_dims(_ARG[known](data, axis=axis + 1), axis + 1)
            return np.take_along_axis(np.broadcast_to(index, data.shape), where, axis + 1).squeeze(axis + 1)

        marked = reduced_without(self.builder.births, values, known.split("_")[0], results[1], winners)
        results[0].taint = marked.taint
        return results

    def _without_padding(self, handle: Handle, axis: int, shape: tuple[int, ...], known: str, result: Handle) -> Handle:
        """The result, marked where it depends on lanes that a load's mask switched off."""
        if handle.taint is None:
            return result
        if known in _BITWISE or in_sorting_network() or (known == "sum" and self._picks(handle, axis)):
            return exchanged(result)  # lanes change places there, and none is counted

        def again(data: Array) -> Array:
            return self._known_reduction(Handle(data, handle.dtype, handle.shape), axis, shape, known).data

        return reduced_without(self.builder.births, handle, known, result, again)

    def _picks(self, handle: Handle, axis: int) -> bool:
        """Whether padding is only picked from a sum: where a padded lane isn't zero, all the others are."""
        lanes = padded_lanes(self.builder.births, handle)
        if lanes is None:
            return False
        terms = handle.full() != 0
        alone = np.count_nonzero(terms, axis=axis + 1) == 1
        counts = (terms & lanes).any(axis=axis + 1)
        return bool(counts.any() and (alone | ~counts).all())

    def _known_reduction(self, handle: Handle, axis: int, shape: tuple[int, ...], known: str) -> Handle:
        data, dtype = handle.full(), handle.dtype
        floating = data.dtype.kind == "f"
        if known in _BITWISE:
            return Handle(_BITWISE[known].reduce(data, axis=axis + 1), dtype, shape)
        if known in ("max", "min"):
            largest = known == "max"
            extremum: Any = (np.fmax if largest else np.fmin) if floating else (np.maximum if largest else np.minimum)
            reduced = extremum.reduce(data, axis=axis + 1)
            self.builder.watch.raised = False
            return Handle(reduced, dtype, shape, handle.low, handle.high, taint=_reduced_taint(handle, axis))
        ufunc = np.add if known == "sum" else np.multiply
        if floating and (is_rounded(dtype) or dtype.name == "fp16"):
            return Handle(_rounded_tree(ufunc, data, axis + 1, dtype), dtype, shape)
        reduced = ufunc.reduce(data, axis=axis + 1, dtype=register_dtype(dtype))
        result = Handle(reduced, dtype, shape, taint=_reduced_taint(handle, axis))
        if floating:
            self._note_float(result, data)
        else:
            self._note_overflow(ufunc, known, handle, data, axis, result)
        return result

    def _note_float(self, result: Handle, data: Array) -> None:
        builder = self.builder
        if builder.watch.raised:
            builder.watch.raised = False
            if np.isfinite(data).all() and not np.isfinite(result.data).all():
                builder._float_flag(result.data, [])

    def _note_overflow(self, ufunc: Any, name: str, handle: Handle, data: Array, axis: int, result: Handle) -> None:
        dtype = handle.dtype
        count = data.shape[axis + 1]
        if name == "sum" and handle.low is not None and handle.high is not None:
            low, high = min(handle.low * count, handle.low), max(handle.high * count, handle.high)
            limit_low, limit_high = integer_limits(dtype)
            if limit_low <= low and high <= limit_high:
                result.low, result.high = low, high
                return
        if not dtype.is_int_signed() or dtype.int_bitwidth > 32:
            return
        exact = ufunc.reduce(data, axis=axis + 1, dtype=np.int64)
        wrong = exact != result.data
        if not wrong.any():
            return
        builder = self.builder
        value, wrapped = int(exact[wrong].flat[0]), int(result.data[wrong].flat[0])
        place = builder.locator.here()
        builder.births.append(Overflow(place, name, count, 0, value, wrapped, str(dtype)))
        born = np.where(wrong, np.int16(len(builder.births)), np.int16(0))
        result.taint = born if result.taint is None else np.maximum(result.taint, born)

    def _by_halves(
        self, handles: list[Handle], axis: int, shape: tuple[int, ...], combine: Any, counts: Array | None = None
    ) -> list[Handle]:
        """Neighbours are combined, then neighbours of the results: the order of a tree, left before right.

        ``counts``: which lanes take part, shape (P or 1, *lanes); None: all.
        """
        rows = max(handle.data.shape[0] for handle in handles)
        if counts is not None:
            rows = max(rows, len(counts))
            counts = np.moveaxis(np.broadcast_to(counts, (rows, *handles[0].shape)), axis + 1, -1)
        datas = [np.moveaxis(np.broadcast_to(h.full(), (rows, *h.shape)), axis + 1, -1) for h in handles]
        while datas[0].shape[-1] > 1:
            half = (*datas[0].shape[:-1], datas[0].shape[-1] // 2)
            left = [Handle(d[..., 0::2].reshape(-1), h.dtype) for d, h in zip(datas, handles, strict=True)]
            right = [Handle(d[..., 1::2].reshape(-1), h.dtype) for d, h in zip(datas, handles, strict=True)]
            made = [one.data.reshape(half) for one in self._on_scalars(combine, [*left, *right])]
            if counts is not None:
                first, second = counts[..., 0::2], counts[..., 1::2]
                made = [
                    np.where(first & second, one, np.where(second, data[..., 1::2], data[..., 0::2]))
                    for one, data in zip(made, datas, strict=True)
                ]
                counts = first | second
            datas = made
        return [Handle(d[..., 0], h.dtype, shape) for d, h in zip(datas, handles, strict=True)]

    # ------------------------------------------------------------ scans

    def _scanned(self, handles: list[Handle], datas: list[Array], axis: int, combine: Any) -> list[Array]:
        known = _name_of(combine)
        first, dtype = datas[0], handles[0].dtype
        running: dict[str, Any] = {"sum": np.add, "product": np.multiply, "xor": np.bitwise_xor, "or": np.bitwise_or}
        if first.dtype.kind != "f":
            running |= {"max": np.maximum, "min": np.minimum}
        if len(datas) == 1 and known in running and not is_rounded(dtype):
            scanned = running[known].accumulate(first, axis=axis, dtype=register_dtype(dtype))
            if self.builder.watch.raised:
                self.builder.watch.raised = False
            return [scanned]
        rows = max(data.shape[0] for data in datas)
        datas = [np.moveaxis(np.broadcast_to(d, (rows, *d.shape[1:])), axis, -1).copy() for d in datas]
        distance, length = 1, datas[0].shape[-1]
        while distance < length:
            part = datas[0][..., distance:].shape
            left = [Handle(d[..., :-distance].reshape(-1), h.dtype) for d, h in zip(datas, handles, strict=True)]
            right = [Handle(d[..., distance:].reshape(-1), h.dtype) for d, h in zip(datas, handles, strict=True)]
            for data, made in zip(datas, self._on_scalars(combine, [*left, *right]), strict=True):
                data[..., distance:] = made.data.reshape(part)
            distance *= 2
        return [np.moveaxis(data, -1, axis) for data in datas]

    # ------------------------------------------------------------ lanes as programs

    def _on_scalars(self, function: Any, arguments: Sequence[Handle]) -> list[Handle]:
        """Call a function of scalars with every lane as a program; gives one handle per result."""
        control = self.builder.control
        count = arguments[0].data.shape[0]
        entry, control.active = control.active, np.arange(count)
        try:
            with control.unstepped():
                result = self.call_jit(function, tuple(_tensor(one) for one in arguments), {})
        finally:
            control.active = entry
        results = list(result) if isinstance(result, (tuple, list, tl.tuple)) else [result]
        handles = [control.to_tensor(one).handle for one in results]
        return [handle.like(np.broadcast_to(handle.data, (count,))) for handle in handles]


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, tl.constexpr) else value


def _axis(axis: int, rank: int) -> int:
    if not -rank <= axis < rank:
        raise ValueError(f"invalid axis {axis}. Expected {-rank} <= axis < {rank}")
    return axis % rank


def _name_of(combine: Any) -> str:
    return next((name for name, function in combine_functions().items() if function is combine), "")


def _called(combine: Any) -> str:
    return str(combine.fn.__name__)


def _tolerance(dtype: Any) -> float:
    """What leaving out a neutral lane may change by rounding, relative."""
    return 0.0 if dtype.is_int() else 0.05 if dtype.primitive_bitwidth <= 16 else 1e-4


def _has_nan(data: Array) -> bool:
    return data.dtype.kind == "f" and bool(np.isnan(data).any())


def _tensor(handle: Handle) -> Any:
    return tl.tensor(handle, tl.block_type(handle.dtype, list(handle.shape)) if handle.shape else handle.dtype)


def _reduced_taint(handle: Handle, axis: int) -> Array | None:
    if handle.taint is None:
        return None
    full = np.broadcast_to(handle.taint, (handle.taint.shape[0], *handle.shape))
    reduced: Array = full.max(axis=axis + 1)
    return reduced


def _rounded_tree(ufunc: Any, data: Array, axis: int, dtype: Any) -> Array:
    """Halves combined until one is left, each step rounded to 16 or 8 bits as the hardware's registers are."""
    data = np.moveaxis(data, axis, -1)
    while data.shape[-1] > 1:
        half = data.shape[-1] // 2
        data = ufunc(data[..., :half], data[..., half:])
        if is_rounded(dtype):
            data = round_to(data, dtype)
    return data[..., 0]
