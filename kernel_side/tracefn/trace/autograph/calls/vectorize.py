"""`np.vectorize` and `np.frompyfunc` of traced values: a scan over the elements, which are Python numbers there."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from ....errors import UnsupportedFunctionError, message
from ....ir.dims import definitely_different, product
from ....ir.op import by_name
from ....ir.types import Kind
from ....ops.rules import broadcast_shapes
from ... import provided
from ...active import current
from ...context import Trace
from ...control.joins import value_type
from ...control.scans import map_fn
from ...numpy_api.composed import as_array
from ...numpy_api.in_place import to_python
from ...numpy_api.makers import owned
from ...origin import user_source, where
from ...tensor import Tensor
from .dispatch import callee

Function = Callable[..., tuple[Any, ...]]


def vectorized(vectorize: Any) -> Callable[..., Any]:
    """The replacement of an `np.vectorize` where it is called."""

    def call(*args: Any, **kwargs: Any) -> Any:
        trace = current()
        if trace is None or not any(type(a) is Tensor for a in (*args, *kwargs.values())):
            made = vectorize(*args, **kwargs)
            return made if trace is None else owned(trace, made)
        if vectorize.cache and not vectorize.otypes:
            _refuse("`np.vectorize` keeps the first result (`cache=True`)", "Give it `otypes`.")
        mapped = [i for i in range(len(args)) if i not in vectorize.excluded]
        names = [n for n in kwargs if n not in vectorize.excluded]
        function = callee(vectorize.pyfunc)

        def each(*elements: Any) -> tuple[Any, ...]:
            given = dict(zip([*mapped, *names], elements, strict=True))
            found = function(
                *[given.get(i, a) for i, a in enumerate(args)], **{k: given.get(k, v) for k, v in kwargs.items()}
            )
            return found if isinstance(found, tuple) else (found,)

        if vectorize.signature is not None:
            values = [as_array(v) for v in (*(args[i] for i in mapped), *(kwargs[n] for n in names))]
            return _over_parts(trace, each, values, vectorize)
        return _over_elements(trace, each, [*(args[i] for i in mapped), *(kwargs[n] for n in names)], vectorize.otypes)

    return call


def _over_elements(trace: Trace, each: Function, values: list[Any], otypes: str | None) -> Any:
    arrays = np.broadcast_arrays(*[as_array(v) for v in values])
    shape = arrays[0].shape
    rows = tuple([np.reshape(a, -1) for a in arrays])
    if not otypes and 0 in shape:
        raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
    dtypes = [np.dtype(c) for c in otypes] if otypes else _dtypes(each, rows)
    if any(d.kind not in "biufcmM" for d in dtypes):
        _refuse(f"`np.vectorize` gives {dtypes[0]} here, and numbers alone are traced", "Call it outside.")

    def of_python(row: Any) -> Any:
        found = each(*[to_python(x) if x.dtype.kind in "biufc" and x.dtype.char not in "gG" else x for x in row])
        return tuple([_converted(trace, y, d) for y, d in zip(found, dtypes, strict=True)])

    results = [np.reshape(y, shape) for y in map_fn(of_python, rows)]
    return results[0] if len(results) == 1 else tuple(results)


def _over_parts(trace: Trace, each: Function, values: list[Any], vectorize: Any) -> Any:
    """With a signature the function gets parts of the arrays: `(m,n),(n)->(m)` a matrix and a vector each time."""
    inputs, outputs = vectorize._in_and_out_core_dims
    if len(values) != len(inputs):
        raise TypeError(f"wrong number of positional arguments: expected {len(inputs)!r}, got {len(values)!r}")
    shapes = [value_type(v).shape for v in values]
    sizes = _core_sizes(shapes, inputs)
    outer = broadcast_shapes(*[s[: len(s) - len(core)] for s, core in zip(shapes, inputs, strict=True)])
    if 0 in outer:
        _refuse("`np.vectorize` with a signature is called on no parts", "Return early where the array is empty.")

    def part(*row: Any) -> tuple[Any, ...]:
        found = each(*row)
        if len(found) != len(outputs):
            raise ValueError(f"wrong number of outputs from pyfunc: expected {len(outputs)!r}, got {len(found)!r}")
        made = [as_array(y) for y in found]
        known = dict(sizes)
        for y, core in zip(made, outputs, strict=True):
            _add_sizes(known, value_type(y).shape, core)
        dtypes = vectorize.otypes or [y.dtype for y in made]
        return tuple([np.astype(y, d, copy=False) for y, d in zip(made, dtypes, strict=True)])

    rows = []
    for value, shape, core in zip(values, shapes, inputs, strict=True):
        inner = shape[len(shape) - len(core) :]
        full = np.broadcast_to(value, trace.public((*outer, *inner)))
        rows.append(np.reshape(full, trace.public((product(outer), *inner))))
    found = map_fn(lambda row: part(*row), tuple(rows))
    results = [np.reshape(y, trace.public((*outer, *value_type(y).shape[1:]))) for y in found]
    return results[0] if len(results) == 1 else tuple(results)


def _core_sizes(shapes: list[Any], inputs: Any) -> dict[str, Any]:
    """The length of each dimension that the signature names."""
    sizes: dict[str, Any] = {}
    for shape, core in zip(shapes, inputs, strict=True):
        _add_sizes(sizes, shape, core)
    return sizes


def _add_sizes(sizes: dict[str, Any], shape: Any, core: Any) -> None:
    if len(shape) < len(core):
        raise ValueError(
            f"{len(shape)}-dimensional argument does not have enough dimensions for all core dimensions {core!r}"
        )
    for name, length in zip(core, shape[len(shape) - len(core) :], strict=True):
        if definitely_different(sizes.setdefault(name, length), length):
            raise ValueError(f"inconsistent size for core dimension {name!r}: {length!r} vs {sizes[name]!r}")


def _converted(trace: Trace, value: Any, dtype: np.dtype[Any]) -> Any:
    """The result of `np.asanyarray(value, dtype)`: a Python number must fit."""
    inner = current() or trace
    return inner.record(by_name("array"), (value, dtype), {}) if type(value) is Tensor else np.asarray(value, dtype)


def _dtypes(each: Function, rows: tuple[Any, ...]) -> list[np.dtype[Any]]:
    """The dtypes of the function's results for the first elements, for which NumPy calls it once more to learn them:
    it may draw or count."""
    return [as_array(y).dtype for y in each(*[row[0] for row in rows])]


def from_python(trace: Trace, ufunc: np.ufunc, operands: tuple[Any, ...]) -> Any:
    """A call of a ufunc of `np.frompyfunc`, which alone knows the function that it calls."""
    function = callee(gc.get_referents(ufunc)[0])
    if len(operands) != ufunc.nin:
        raise TypeError(f"{ufunc.__name__}() takes {ufunc.nin} positional arguments but {len(operands)} were given")
    arrays = np.broadcast_arrays(*[as_array(v) for v in operands])

    def each(*row: Any) -> tuple[Any, ...]:
        found = function(*[to_python(x) if type(x) is Tensor else x for x in row])
        return found if isinstance(found, tuple) else (found,)

    if any(a.dtype.kind not in "biufc" or a.dtype.char in "gG" for a in arrays):
        _refuse("a function of `np.frompyfunc` is given other values than numbers", "Use np.vectorize.")
    if not arrays[0].ndim:
        found = each(*[a[()] for a in arrays])
        return found[0] if ufunc.nout == 1 else found
    rows = tuple([np.reshape(a, -1) for a in arrays])
    results = [PythonObjects(np.reshape(y, arrays[0].shape)) for y in map_fn(lambda row: each(*row), rows)]
    return results[0] if ufunc.nout == 1 else tuple(results)


class PythonObjects(np.lib.mixins.NDArrayOperatorsMixin):
    """The result of a ufunc of `np.frompyfunc`: an array of Python numbers, dtype object, there to be converted."""

    def __init__(self, values: Any) -> None:
        self._values = values
        self.shape, self.ndim, self.size = values.shape, values.ndim, values.size
        self.dtype = np.dtype(object)

    def __len__(self) -> Any:
        return len(self._values)

    def __getitem__(self, index: Any) -> Any:
        part = self._values[index]
        return to_python(part) if part._node.type.kind is Kind.SCALAR else PythonObjects(part)

    def astype(self, dtype: Any) -> Any:
        """The numbers as an array, as Python converts each."""
        old, new = self._values.dtype, np.dtype(dtype)
        if new.kind not in "biufc":
            _refuse(f"numbers of `np.frompyfunc` as {new} are not traced", "Convert to a dtype of numbers.")
        if np.can_cast(old, new) or (old.kind, new.kind) in _AS_PYTHON:
            return self._values.astype(new)
        rows = np.reshape(self._values, -1)
        trace = self._values._trace
        return np.reshape(map_fn(lambda x: _converted(trace, to_python(x), new), rows), self.shape)

    def __array__(self, dtype: Any = None, copy: Any = None) -> NoReturn:
        _refuse("the result of a function of `np.frompyfunc` is an array of Python objects", _CONVERT)

    def __array_ufunc__(self, *args: Any, **kwargs: Any) -> NoReturn:
        _refuse("the result of a function of `np.frompyfunc` is an array of Python objects", _CONVERT)

    def __array_function__(self, *args: Any, **kwargs: Any) -> NoReturn:
        _refuse("the result of a function of `np.frompyfunc` is an array of Python objects", _CONVERT)

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__") or not hasattr(np.ndarray, name):
            raise AttributeError(f"'numpy.ndarray' object has no attribute '{name}'")
        _refuse(f"a function of `np.frompyfunc` gives an array of Python objects, without `.{name}`", _CONVERT)


_AS_PYTHON = {("f", "f"), ("c", "c"), ("f", "c"), ("i", "f"), ("i", "c"), ("u", "f"), ("u", "c")}
"""The kinds of numbers that NumPy casts to each other as it does with Python numbers, be they rounded."""

_CONVERT = "Convert it: `f(x).astype(float)`."


def _refuse(what: str, fix: str) -> NoReturn:
    raise UnsupportedFunctionError(message(what, where(user_source(3)), fix))


provided.vectorized = vectorized
provided.from_python = from_python
