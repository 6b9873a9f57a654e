"""``triton.language`` while a kernel runs in lockstep: patched by us, and restored by us."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

from tritontui.runner.lockstep.allocator import keep_freed_memory
from tritontui.runner.lockstep.branches import loop_range, static_range
from tritontui.runner.lockstep.builder import Builder
from tritontui.runner.lockstep.errors import StaticAssertion, UndefinedVariable
from tritontui.runner.lockstep.linker import Linker, Replacements
from tritontui.runner.lockstep.operators import Operators, tensor_of
from tritontui.runner.lockstep.reductions import Reductions
from tritontui.runner.lockstep.values import Handle, Undefined
from tritontui.runner.triton_compat import (
    JITFunction,
    TritonSemantic,
    builtin_body,
    cuda_modules,
    descriptor_classes,
    is_builtin,
    is_builtin_method,
    libdevice,
    libdevice_parents,
    tl,
)

_MISSING = object()
Patch = tuple[Any, str, Any]
_CONSTEXPR_OPERATORS = {
    f"__{name}__"
    for name in (
        *("add", "sub", "mul", "truediv", "floordiv", "mod", "and", "or", "xor", "lshift", "rshift"),
        *("lt", "le", "gt", "ge", "eq", "ne"),
    )
}


class Semantic(TritonSemantic):  # type: ignore[misc]
    """Triton's own front end on our builder."""

    def to_tensor(self, x: Any, check_type: bool = True) -> Any:
        if isinstance(x, tl.tensor):
            return x
        if isinstance(x, Undefined):
            raise UndefinedVariable(object.__getattribute__(x, "name"))
        return super().to_tensor(x, check_type)

    def make_tensor(self, handle: Any, type: Any) -> Any:
        """``tl.tensor(handle, type)``, with the parts that depend on the shape alone made once per shape."""
        if not isinstance(handle, Handle):
            return tl.tensor(handle, type)
        return tensor_of(handle, type.scalar)


class Language:
    """The patches of this process; ``active`` applies them for the time of one launch."""

    def __init__(self) -> None:
        self.builder = Builder()
        self.semantic = Semantic(self.builder)
        self.reductions = Reductions(self.builder, self._call)
        self.linker: Linker | None = None
        self._bound: dict[int, tuple[Any, Any]] = {}
        self._dot_scaled_body = self._function(tl.core.dot_scaled)
        functions = {name: self._function(one) for name, one in vars(libdevice()).items() if is_builtin(one)}
        self.libdevice = SimpleNamespace(**functions)
        self.patches = list(self._all_patches())
        self.originals = [(owner, name, vars(owner).get(name, _MISSING)) for owner, name, _ in self.patches]
        own = {
            id(original): new
            for owner, name, new in self.patches
            if inspect.ismodule(owner) and (original := getattr(owner, name, None)) is not None
        }
        for parent in libdevice_parents():
            module = parent.libdevice
            own |= {id(getattr(module, name)): new for name, new in functions.items() if hasattr(module, name)}
        self.replacements = Replacements(
            {
                "range": loop_range,
                "min": functools.partial(self._extremum, min, self.semantic.minimum),
                "max": functools.partial(self._extremum, max, self.semantic.maximum),
                "print": functools.partial(builtin_body(tl.device_print), _semantic=self.semantic),
            },
            own,
        )

    @contextmanager
    def active(self, linker: Linker) -> Iterator[None]:
        """Kernels' calls reach ``linker``, the language reaches the builder. Not reentrant."""
        if self.linker is not None:
            raise RuntimeError("a launch from inside a kernel")
        self.linker = linker
        try:
            for owner, name, new in self.patches:
                setattr(owner, name, new)
            yield
        finally:
            for owner, name, old in reversed(self.originals):
                if old is _MISSING:
                    delattr(owner, name)
                else:
                    setattr(owner, name, old)
            self.linker = None

    def _call(self, kernel: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        assert self.linker is not None
        return self.linker.call(kernel, args, kwargs)

    # ------------------------------------------------------------ what is patched

    def _all_patches(self) -> Iterator[Patch]:
        overrides = self._overrides()
        for module in (tl, tl.core, tl.math, *cuda_modules()):
            for name, member in list(vars(module).items()):
                if name in overrides and callable(member):
                    yield module, name, overrides[name]
                elif is_builtin(member) and not inspect.isclass(member):
                    yield module, name, self._function(member)
        yield from self._libdevice()
        for kind in (tl.tensor, *descriptor_classes()):
            for name, member in list(vars(kind).items()):
                if is_builtin_method(member):
                    yield kind, name, self._method(name, member)
        own = vars(tl.tensor)
        for name, operator in Operators(self.builder, lambda name: self._method(name, own[name])).methods():
            yield tl.tensor, name, operator
        yield tl.tensor, "__bool__", lambda _self: True
        yield tl.tensor, "T", property(self._transposed)
        for name in _CONSTEXPR_OPERATORS & vars(tl.constexpr).keys():
            yield tl.constexpr, name, _yielding(getattr(tl.constexpr, name))
        for kind in (tl.dtype, tl.pointer_type, tl.block_type):
            yield kind, "to_ir", lambda dtype, _builder: dtype
        call = self._call
        yield JITFunction, "__call__", lambda kernel, *args, **kwargs: call(kernel, args, kwargs)
        yield JITFunction, "__get__", _bind_method

    def _overrides(self) -> dict[str, Any]:
        return {
            "range": loop_range,
            "static_range": static_range,
            "reduce": self.reductions.reduce,
            "associative_scan": self.reductions.associative_scan,
            "map_elementwise": self.reductions.map_elementwise,
            "static_assert": _static_assert,
            "static_print": _static_print,
            "dot_scaled": self._dot_scaled,
            "condition": _hint,
            "multiple_of": _hint,
            "max_contiguous": _hint,
            "max_constancy": _hint,
        }

    def _function(self, member: Any) -> Callable[..., Any]:
        known = self._bound.get(id(member))
        if known is None:
            known = (member, functools.partial(builtin_body(member), _semantic=self.semantic))
            self._bound[id(member)] = known
        return known[1]

    def _method(self, name: str, member: Any) -> Callable[..., Any]:
        """A method of the language with ``_semantic`` added."""
        semantic = self.semantic
        if name == "__getitem__" and member is vars(tl.tensor).get(name):
            return lambda tensor, index: self._indexed(tensor, index)
        if name in ("reduce", "associative_scan"):
            method = getattr(self.reductions, name)
            return lambda self, *args, **kwargs: method(self, *args, **kwargs)
        body = builtin_body(member)
        # the language's own functions call methods too, and may pass a semantic themselves, or None
        return lambda self, *args, _semantic=None, **kwargs: body(
            self, *args, **kwargs, _semantic=_semantic or semantic
        )

    def _indexed(self, tensor: Any, index: Any) -> Any:
        """``x[:, None]``: new axes, and nothing else."""
        items = index if isinstance(index, (tuple, list, tl.tuple)) else [index]
        made, kept = tensor, 0
        for axis, item in enumerate(items):
            item = _plain(item)
            if item is None:
                made = self._with_axis(made, axis)
                continue
            if not isinstance(item, slice) or any(one is not None for one in (item.start, item.stop, item.step)):
                raise ValueError(f"unsupported tensor index: {item}")
            kept += 1
            if kept > len(tensor.shape):
                raise ValueError(f"too many indices for tensor of rank {len(tensor.shape)}")
        return made

    def _with_axis(self, tensor: Any, axis: int) -> Any:
        if not tensor.type.is_block():
            return self.semantic.expand_dims(tensor, axis)
        return tensor_of(self.builder.create_expand_dims(tensor.handle, axis), tensor.dtype)

    def _dot_scaled(self, *args: Any, **kwargs: Any) -> Any:
        """Formats are constexprs to the compiler, and Triton before 3.8 relies on it."""
        args = tuple(tl.constexpr(one) if isinstance(one, str) else one for one in args)
        kwargs = {name: tl.constexpr(one) if isinstance(one, str) else one for name, one in kwargs.items()}
        return self._dot_scaled_body(*args, **kwargs)

    def _libdevice(self) -> Iterator[Patch]:
        """The modules of CUDA's math library are hidden behind one whose functions have their ``_semantic``."""
        for parent in libdevice_parents():
            yield parent, "libdevice", self.libdevice

    def _transposed(self, tensor: Any) -> Any:
        rank = len(tensor.shape)
        return self.semantic.permute(tensor, (*range(rank - 2), rank - 1, rank - 2))

    def _extremum(self, plain: Callable[..., Any], choose: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """``min`` and ``max`` in a kernel: of numbers, or of tensors element by element."""
        values = [_plain(one) for one in (args[0] if len(args) == 1 else args)]
        if not any(isinstance(one, tl.tensor) for one in values):
            return plain(values)
        nan = kwargs.get("propagate_nan", tl.PropagateNan.NONE)
        return functools.reduce(lambda left, right: choose(left, right, nan), values)


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, tl.constexpr) else value


def _yielding(operator: Callable[..., Any]) -> Callable[..., Any]:
    """An operator of ``tl.constexpr`` that leaves the work to the tensor on its right, as the compiler does."""

    def operate(self: Any, other: Any) -> Any:
        return NotImplemented if isinstance(other, tl.tensor) else operator(self, other)

    return operate


def _bind_method(kernel: Any, instance: Any, _owner: Any = None) -> Any:
    """``x.sum()`` and methods of aggregates are ``JITFunction``s on a class."""
    return kernel if instance is None else functools.partial(kernel, instance)


def _static_assert(condition: Any, message: Any = "", **_: Any) -> None:
    if not _plain(condition):
        raise StaticAssertion(_plain(message) or "static assertion failed")


def _static_print(*values: Any, sep: str = " ", end: str = "\n", **_: Any) -> None:
    print(*(_plain(value) for value in values), sep=sep, end=end)


def _hint(value: Any, *_: Any, **__: Any) -> Any:
    """What the language tells the compiler about ``value``; it stays what it is."""
    return value


@functools.cache
def language() -> Language:
    """The one language of this process (building the list of patches takes some milliseconds)."""
    keep_freed_memory()
    return Language()
