"""`np.vectorize` of traced values: a scan over the elements, which are Python numbers as in `np.vectorize`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from ..errors import UnsupportedFunctionError, message
from ..ir.op import by_name
from .autograph.calls import callee
from .body import BodyTrace
from .composed import as_array
from .context import Trace, current
from .control.scans import Rows, map_fn
from .origin import user_source, where
from .protocols import to_python
from .tensor import Tensor

Function = Callable[..., tuple[Any, ...]]


def vectorized(vectorize: Any) -> Callable[..., Any]:
    """What takes the place of an `np.vectorize` where it is called."""

    def call(*args: Any, **kwargs: Any) -> Any:
        trace = current()
        if trace is None or not any(type(a) is Tensor for a in (*args, *kwargs.values())):
            return vectorize(*args, **kwargs)
        if vectorize.signature is not None:
            _refuse("`np.vectorize` with a signature is not traced", "Loop over the rows, or use tracefn.map_fn.")
        mapped = [i for i in range(len(args)) if i not in vectorize.excluded]
        names = [n for n in kwargs if n not in vectorize.excluded]
        function = callee(vectorize.pyfunc)

        def each(*elements: Any) -> tuple[Any, ...]:
            given = dict(zip([*mapped, *names], elements, strict=True))
            found = function(
                *[given.get(i, a) for i, a in enumerate(args)], **{k: given.get(k, v) for k, v in kwargs.items()}
            )
            return found if isinstance(found, tuple) else (found,)

        return _over_elements(trace, each, [*(args[i] for i in mapped), *(kwargs[n] for n in names)], vectorize.otypes)

    return call


def _over_elements(trace: Trace, each: Function, values: list[Any], otypes: str | None) -> Any:
    arrays = np.broadcast_arrays(*[as_array(v) for v in values])
    shape = arrays[0].shape
    rows = tuple([np.reshape(a, -1) for a in arrays])
    if not otypes and 0 in shape:
        raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
    dtypes = [np.dtype(c) for c in otypes] if otypes else _dtypes(trace, each, rows)
    if any(d.kind not in "biufcmM" for d in dtypes):
        _refuse(f"`np.vectorize` gives {dtypes[0]} here, and numbers alone are traced", "Call it outside.")

    def of_python(row: Any) -> Any:
        found = each(*[to_python(x) if x.dtype.kind in "biufc" and x.dtype.char not in "gG" else x for x in row])
        return tuple([_converted(trace, y, d) for y, d in zip(found, dtypes, strict=True)])

    results = [np.reshape(y, shape) for y in map_fn(of_python, rows)]
    return results[0] if len(results) == 1 else tuple(results)


def _converted(trace: Trace, value: Any, dtype: np.dtype[Any]) -> Any:
    """What `np.asanyarray(value, dtype)` gives: a Python number must fit."""
    inner = current() or trace
    return inner.record(by_name("array"), (value, dtype), {}) if type(value) is Tensor else np.asarray(value, dtype)


def _dtypes(trace: Trace, each: Function, rows: tuple[Any, ...]) -> list[np.dtype[Any]]:
    """The dtypes of what the function gives for NumPy scalars, with which NumPy calls it once to learn them."""
    body = BodyTrace(trace, "element")
    found = body.run(lambda row: [as_array(y).dtype for y in each(*row)], Rows(rows).enter(body))
    body.ended = True
    body.journal.take_back()
    return list(found)


def _refuse(what: str, fix: str) -> NoReturn:
    raise UnsupportedFunctionError(message(what, where(user_source(3)), fix))
