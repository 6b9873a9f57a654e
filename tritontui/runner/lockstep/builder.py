"""The builder that Triton's own front end calls: where the compiler emits IR, this computes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tritontui.runner.lockstep.arithmetic import Arithmetic
from tritontui.runner.lockstep.casts import Casts
from tritontui.runner.lockstep.control import Control
from tritontui.runner.lockstep.descriptors import Descriptors
from tritontui.runner.lockstep.dot import dot, loses_bits, scaled_dot
from tritontui.runner.lockstep.dtypes import is_rounded, register_dtype, round_to
from tritontui.runner.lockstep.errors import DeviceAssertion, UnsupportedOperation
from tritontui.runner.lockstep.libdevice import call_libdevice
from tritontui.runner.lockstep.location import Locator
from tritontui.runner.lockstep.memory import Memory
from tritontui.runner.lockstep.numeric import joined_taint
from tritontui.runner.lockstep.padding import reduced_without
from tritontui.runner.lockstep.printing import Printer
from tritontui.runner.lockstep.recorder import Recorder, whereabouts
from tritontui.runner.lockstep.shapes import Shapes
from tritontui.runner.lockstep.values import Handle
from tritontui.runner.triton_compat import tl

Array = NDArray[Any]


@dataclass(frozen=True)
class BuilderOptions:
    """What Triton's front end asks of a target. Overflow checks are our own."""

    sanitize_overflow: bool = False
    debug: bool = True
    arch: str = "sm_90"
    backend_name: str = "lockstep"
    supported_fp8_dtypes: tuple[str, ...] = ("fp8e5", "fp8e5b16", "fp8e4nv", "fp8e4b8", "fp8e4b15")
    deprecated_fp8_dtypes: tuple[str, ...] = ()
    deprecated_fp8_dot_operand_dtypes: tuple[str, ...] = ()
    default_dot_input_precision: str = "tf32"
    allowed_dot_input_precisions: tuple[str, ...] = ("tf32", "tf32x3", "ieee", "bf16x3", "bf16x6")
    max_num_imprecise_acc_default: int = 0
    extern_libs: dict[str, str] | None = None
    enable_iisan: bool = False
    num_warps: int = 4


@dataclass
class Run:
    """What one chunk of a launch works on."""

    control: Control
    memory: Memory
    recorder: Recorder
    locator: Locator
    printer: Printer
    grid: tuple[int, int, int]
    chunk_lanes: int
    writes_before: int = 0
    """``control.writes`` when the chunk began: only before its first write may it be given up for a smaller one."""
    assertions: bool = False
    """Does a failed ``tl.device_assert`` stop the kernel (debug mode)?"""
    num_warps: int = 4
    ids: dict[int, tuple[NDArray[np.intp], Handle]] = field(default_factory=dict)

    def program_ids(self, axis: int, programs: NDArray[np.intp]) -> NDArray[np.int32]:
        """``tl.program_id(axis)`` of programs given by their linear ids (C order of the grid)."""
        inner = math.prod(self.grid[axis + 1 :])
        own = programs if inner == 1 else programs // inner
        return (own if axis == 0 else own % self.grid[axis]).astype(np.int32)


class Builder(Arithmetic, Casts, Shapes, Descriptors):
    """One per process; ``run`` is what it works on at the moment."""

    run: Run

    def __init__(self) -> None:
        super().__init__()
        self.codegen_fns = {
            "min_dot_size": lambda _lhs, _rhs: (1, 1, 1),
            "convert_custom_types": self._convert_custom_types,
        }

    def begin(self, run: Run) -> None:
        """Work on ``run`` from now on."""
        self.run = run
        self.options = BuilderOptions(num_warps=run.num_warps)
        self.control = run.control
        self.memory = run.memory
        self.recorder = run.recorder
        self.locator = run.locator
        self.chunk_lanes = run.chunk_lanes
        self.births = run.memory.suspects.births
        self.watch.raised = False

    def may_start_again(self) -> bool:
        return self.control.writes == self.run.writes_before

    @property
    def active(self) -> NDArray[np.intp]:  # type: ignore[override]
        return self.control.active

    def _convert_custom_types(self, value: Any, dtype: Any, rounding: Any, _semantic: Any) -> Any:
        return tl.tensor(self.create_fp_to_fp(value.handle, dtype, rounding), dtype)

    # ------------------------------------------------------------ types and constants

    def get_block_ty(self, dtype: Any, shape: Sequence[int]) -> Any:
        return tl.block_type(dtype, list(shape))

    def get_ptr_ty(self, dtype: Any, address_space: int) -> Any:
        return tl.pointer_type(dtype, address_space)

    def __getattr__(self, name: str) -> Any:
        """``get_int32(value)``, ``get_fp32_ty()`` and their kind; anything else isn't supported here."""
        if name.startswith("get_"):
            kind = name[4:].removesuffix("_ty")
            dtype = DTYPES.get(kind)
            if dtype is not None:
                made: Any = (lambda: dtype) if name.endswith("_ty") else (lambda value: constant(value, dtype))
                setattr(self, name, made)
                return made
        if name.startswith("create_"):
            raise UnsupportedOperation(f"{name.removeprefix('create_')} is not supported without a GPU")
        raise AttributeError(name)

    def get_null_value(self, dtype: Any) -> Handle:
        return constant(0, dtype.scalar)

    def get_all_ones_value(self, dtype: Any) -> Handle:
        scalar = dtype.scalar
        kind = register_dtype(scalar)
        value = np.ones(1, np.bool_) if kind == np.bool_ else np.array([-1]).astype(kind)
        return Handle(value, scalar, (), int(value[0]), int(value[0]))

    # ------------------------------------------------------------ the grid

    def create_get_program_id(self, axis: int) -> Handle:
        active = self.control.active
        known = self.run.ids.get(axis)
        if known is not None and known[0] is active:
            return known[1]
        size = self.run.grid[axis]
        data = np.zeros(1, np.int32) if size == 1 else self.run.program_ids(axis, active)
        handle = Handle(data, tl.int32, (), 0, size - 1)
        self.run.ids[axis] = (active, handle)
        return handle

    def create_get_num_programs(self, axis: int) -> Handle:
        size = self.run.grid[axis]
        return Handle(np.array([size], np.int32), tl.int32, (), size, size)

    # ------------------------------------------------------------ memory

    def get_cache_policy(self, *_: Any) -> None:
        return None

    def create_load(self, pointer: Handle, *_: Any) -> Handle:
        return self.memory.load(pointer, None, None)

    def create_masked_load(self, pointer: Handle, mask: Handle, other: Handle | None, *_: Any) -> Handle:
        return self.memory.load(pointer, mask, other)

    def create_store(self, pointer: Handle, value: Handle, *_: Any) -> None:
        self.memory.store(pointer, value, None)

    def create_masked_store(self, pointer: Handle, value: Handle, mask: Handle, *_: Any) -> None:
        self.memory.store(pointer, value, mask)

    # ------------------------------------------------------------ products

    def create_dot(self, a: Handle, b: Handle, acc: Handle, precision: Any, _imprecise: Any = 0) -> Handle:
        if loses_bits(a, b, precision):
            self.recorder.event(
                "reduced-precision-dot", self.locator.here(), tuple(int(one) for one in self.active[:16])
            )
        product = self._checked(dot(a, b, acc, precision), a, b, acc)
        return self._without_padding(a, b, acc, precision, product)

    def _without_padding(self, a: Handle, b: Handle, acc: Handle, precision: Any, product: Handle) -> Handle:
        """The product, marked where it depends on lanes that a load's mask switched off."""
        for operand, other in ((a, b), (b, a)):
            if operand.taint is None:
                continue

            def again(data: Array, operand: Handle = operand, other: Handle = other) -> Array:
                part = operand.like(data)
                return dot(part, other, acc, precision).data if operand is a else dot(other, part, acc, precision).data

            product = reduced_without(self.births, operand, "dot", product, again)
        return product

    def create_dot_scaled(
        self,
        a: Handle,
        a_scale: Handle | None,
        a_format: Any,
        b: Handle,
        b_scale: Handle | None,
        b_format: Any,
        _fast_math: bool,
        a_k_pack: bool,
        b_k_pack: bool,
        acc: Handle,
    ) -> Handle:
        return scaled_dot(a, a_scale, a_format, b, b_scale, b_format, a_k_pack, b_k_pack, acc)

    def _checked(self, result: Handle, *operands: Handle) -> Handle:
        """numpy's matrix product raises no flags: look for what it gave birth to."""
        self.watch.raised = False
        if result.data.dtype.kind == "f" and not np.isfinite(result.data).all():
            finite = all(np.isfinite(one.data).all() for one in operands)
            if finite:
                self._float_flag(result.data, [])
        return result

    # ------------------------------------------------------------ calls outside

    def create_extern_elementwise(
        self, _library: str, _path: str, symbol: str, arguments: Sequence[Handle], dtype: Any, _pure: bool
    ) -> Handle:
        operands = [argument.data for argument in arguments]
        data = call_libdevice(symbol, operands)
        scalar = dtype.scalar
        data = round_to(data, scalar) if is_rounded(scalar) else data.astype(register_dtype(scalar), copy=False)
        if data.dtype.kind == "f":
            self._float_flag(data, operands)
        self.watch.raised = False
        return Handle(data, scalar, arguments[0].shape, taint=joined_taint(arguments))

    def create_inline_asm(self, assembly: str, *_: Any) -> Any:
        if not assembly.startswith("griddepcontrol."):  # so up to Triton 3.8, and its result is nobody's
            raise UnsupportedOperation("inline assembly is not supported without a GPU")
        return SimpleNamespace(get_result=lambda _number: None)

    # ------------------------------------------------------------ messages

    def create_print(self, prefix: str, hexadecimal: bool, values: Sequence[Handle], *_: Any) -> None:
        pids = np.stack([self.run.program_ids(axis, self.active) for axis in range(3)])
        text = self.run.printer.add(prefix, hexadecimal, values, pids)
        programs = tuple(int(one) for one in self.active[:16])
        self.recorder.event("device-print", self.locator.here(), programs, text=text)

    def create_assert(self, condition: Handle, message: str) -> None:
        failed = ~condition.data
        if not failed.any():
            return
        programs, _ = whereabouts(failed, self.active)
        self.recorder.event("device-assert", self.locator.here(), programs, message=str(message))
        if self.run.assertions:
            raise DeviceAssertion(message)

    def create_assume(self, condition: Handle) -> None:
        if not condition.data.all():
            self.recorder.event("false-assumption", self.locator.here(), tuple(int(one) for one in self.active[:16]))

    def create_barrier(self) -> None:
        """All lanes of a program move together here anyway."""

    def create_grid_dependency_wait(self) -> None:
        """Launches follow one another."""

    create_grid_dependency_launch_dependents = create_grid_dependency_wait


DTYPES: dict[str, Any] = {
    dtype.name: dtype
    for dtype in (
        *(tl.int1, tl.int8, tl.int16, tl.int32, tl.int64, tl.uint8, tl.uint16, tl.uint32, tl.uint64),
        *(tl.float16, tl.bfloat16, tl.float32, tl.float64, tl.void),
        *(tl.float8e5, tl.float8e5b16, tl.float8e4nv, tl.float8e4b8, tl.float8e4b15),
    )
} | {"half": tl.float16, "float": tl.float32, "double": tl.float64}


def constant(value: Any, dtype: Any) -> Handle:
    """A scalar that all programs agree on."""
    kind = register_dtype(dtype)
    data = np.array([value]).astype(kind)
    if is_rounded(dtype):
        data = round_to(data, dtype)
    if kind.kind in "iu":
        number = int(data[0])
        return Handle(data, dtype, (), number, number)
    return Handle(data, dtype)
