"""Assertions on arrays: at once on concrete values, at every execution on traced ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...errors import AssertionFailedError, message
from ...ir.op import by_name
from ...ir.place import Source
from ...ir.types import dtype_name
from ..active import current
from ..origin import user_source, where
from ..reads import as_value
from ..tensor import Tensor
from ..values.symbolic_int import SymbolicInt


def assert_equal(x: Any, y: Any, message: str = "") -> None:
    """Raises `AssertionFailedError` unless `x == y` in every element, after broadcasting. NaN equals nothing.

    In a trace it is part of the graph and is checked at every execution, in program order; so are all of these.

    >>> import numpy as np, tracefn
    >>> tracefn.debugging.assert_equal(np.ones(2), 1)
    >>> tracefn.debugging.assert_equal(np.array([1, 2, 3]), np.array([1, 5, 3]), "the labels moved")
    Traceback (most recent call last):
    tracefn.errors.AssertionFailedError: assert_equal: x == y fails in 1 of 3 elements, first at [1]: 2 and 5
    ...
    """
    _compare("assert_equal", np.equal, "==", x, y, message)


def assert_less(x: Any, y: Any, message: str = "") -> None:
    """Raises `AssertionFailedError` unless `x < y` in every element, after broadcasting.

    >>> import numpy as np, tracefn
    >>> tracefn.debugging.assert_less(np.zeros(2), 1)
    >>> tracefn.debugging.assert_less(np.ones(2), 1)
    Traceback (most recent call last):
    tracefn.errors.AssertionFailedError: assert_less: ...
    """
    _compare("assert_less", np.less, "<", x, y, message)


def assert_less_equal(x: Any, y: Any, message: str = "") -> None:
    """Raises `AssertionFailedError` unless `x <= y` in every element, after broadcasting.

    >>> import numpy as np, tracefn
    >>> tracefn.debugging.assert_less_equal(np.ones(2), 1)
    >>> tracefn.debugging.assert_less_equal(np.full(2, 2.0), 1)
    Traceback (most recent call last):
    tracefn.errors.AssertionFailedError: assert_less_equal: ...
    """
    _compare("assert_less_equal", np.less_equal, "<=", x, y, message)


def assert_greater(x: Any, y: Any, message: str = "") -> None:
    """Raises `AssertionFailedError` unless `x > y` in every element, after broadcasting.

    >>> import numpy as np, tracefn
    >>> tracefn.debugging.assert_greater(np.full(2, 2.0), 1)
    >>> tracefn.debugging.assert_greater(np.ones(2), 1)
    Traceback (most recent call last):
    tracefn.errors.AssertionFailedError: assert_greater: ...
    """
    _compare("assert_greater", np.greater, ">", x, y, message)


def assert_greater_equal(x: Any, y: Any, message: str = "") -> None:
    """Raises `AssertionFailedError` unless `x >= y` in every element, after broadcasting.

    >>> import numpy as np, tracefn
    >>> tracefn.debugging.assert_greater_equal(np.ones(2), 1)
    >>> tracefn.debugging.assert_greater_equal(np.zeros(2), 1)
    Traceback (most recent call last):
    tracefn.errors.AssertionFailedError: assert_greater_equal: ...
    """
    _compare("assert_greater_equal", np.greater_equal, ">=", x, y, message)


def assert_positive(x: Any, message: str = "") -> None:
    """Raises `AssertionFailedError` unless every element is greater than 0.

    >>> import numpy as np, tracefn
    >>> tracefn.debugging.assert_positive(np.ones(2))
    >>> tracefn.debugging.assert_positive(np.array([1, 0]))
    Traceback (most recent call last):
    tracefn.errors.AssertionFailedError: assert_positive: ...
    """
    _check("assert_positive", "x > 0", lambda x: x > 0, (x,), message)


def assert_non_negative(x: Any, message: str = "") -> None:
    """Raises `AssertionFailedError` unless every element is 0 or greater.

    >>> import numpy as np, tracefn
    >>> tracefn.debugging.assert_non_negative(np.array([1, 0]))
    >>> tracefn.debugging.assert_non_negative(np.array([1, -1]))
    Traceback (most recent call last):
    tracefn.errors.AssertionFailedError: assert_non_negative: ...
    """
    _check("assert_non_negative", "x >= 0", lambda x: x >= 0, (x,), message)


def assert_all_finite(x: Any, message: str = "") -> None:
    """Raises `AssertionFailedError` where an element is NaN or infinite.

    >>> import numpy as np, tracefn
    >>> tracefn.debugging.assert_all_finite(np.ones(2))
    >>> tracefn.debugging.assert_all_finite(np.array([1, np.nan]))
    Traceback (most recent call last):
    tracefn.errors.AssertionFailedError: assert_all_finite: ...
    """
    _check("assert_all_finite", "np.isfinite(x)", np.isfinite, (x,), message)


def assert_near(x: Any, y: Any, rtol: float = 1e-5, atol: float = 1e-8, message: str = "") -> None:
    """Raises `AssertionFailedError` unless `abs(x - y) <= atol + rtol * abs(y)` in every element; the same Inf is near.

    >>> import numpy as np, tracefn
    >>> tracefn.debugging.assert_near(np.array([1.0, 2.0]), np.array([1.0, 2.5]), atol=0.1)
    Traceback (most recent call last):
    tracefn.errors.AssertionFailedError: assert_near: ... fails in 1 of 2 elements, first at [1]: 2.0 and 2.5;
    the largest difference is 0.5
    ...
    """

    def test(x: Any, y: Any) -> Any:
        return np.isclose(x, y, rtol=rtol, atol=atol)

    _check("assert_near", f"abs(x - y) <= {atol} + {rtol} * abs(y)", test, (x, y), message, differ=True)


def assert_rank(x: Any, rank: int, message: str = "") -> None:
    """Raises `AssertionFailedError` unless `x` has this number of axes; in a trace, while tracing.

    >>> import numpy as np, tracefn
    >>> tracefn.debugging.assert_rank(np.ones(2), 1)
    >>> tracefn.debugging.assert_rank(np.ones(2), 2)
    Traceback (most recent call last):
    tracefn.errors.AssertionFailedError: assert_rank: ...
    """
    if np.ndim(x) != rank:
        _fail("assert_rank", f"x has rank {np.ndim(x)}, not {rank}", message, user_source())


def assert_type(x: Any, dtype: Any, message: str = "") -> None:
    """Raises `AssertionFailedError` unless `x` has this dtype; in a trace, while tracing.

    >>> import numpy as np, tracefn
    >>> tracefn.debugging.assert_type(np.ones(2), np.float64)
    >>> tracefn.debugging.assert_type(np.ones(2), np.float32)
    Traceback (most recent call last):
    tracefn.errors.AssertionFailedError: assert_type: ...
    """
    x = as_value(x)
    found = x.dtype if isinstance(x, Tensor | np.ndarray) else np.asarray(x).dtype
    if found != np.dtype(dtype):
        text = f"x is {dtype_name(found)}, not {dtype_name(np.dtype(dtype))}"
        _fail("assert_type", text, message, user_source())


def assert_shapes(shapes: Sequence[tuple[Any, Sequence[Any]]], message: str = "") -> None:
    """Raises `AssertionFailedError` unless the arrays have these shapes.

    `shapes` is a list of (array, shape). A length is an int, None (any) or a name, which stands for one length in all
    of them. Lengths known while tracing are checked then, the rest at every execution.

    >>> import numpy as np, tracefn
    >>> x, y = np.zeros((4, 3)), np.zeros(4)
    >>> tracefn.debugging.assert_shapes([(x, ("N", 3)), (y, ("N",))])
    >>> tracefn.debugging.assert_shapes([(x, ("N", 3)), (y[1:], ("N",))])
    Traceback (most recent call last):
    tracefn.errors.AssertionFailedError: assert_shapes: array 2 has shape (3,), not ('N',) with N = 4
    ...
    """
    source = user_source()
    arrays, wanted = [a for a, _ in shapes], [tuple(s) for _, s in shapes]
    for number, (array, shape) in enumerate(zip(arrays, wanted, strict=True), 1):
        if np.ndim(array) != len(shape):
            _fail("assert_shapes", f"array {number} has rank {np.ndim(array)}, not {len(shape)}", message, source)

    def run(*values: Any) -> None:
        _compare_shapes([np.shape(v) for v in values], wanted, message, source)

    if any(isinstance(n, SymbolicInt) for a in arrays for n in np.shape(a)):
        _record("assert_shapes", run, tuple(arrays))
    else:
        run(*arrays)


def _compare_shapes(found: list[Any], wanted: list[Any], text: str, source: Source | None) -> None:
    names: dict[str, int] = {}
    for number, (shape, lengths) in enumerate(zip(found, wanted, strict=True), 1):
        for length, expected in zip(shape, lengths, strict=True):
            known = names.setdefault(expected, length) if isinstance(expected, str) else expected
            if known is not None and known != length:
                named = f" with {expected} = {known}" if isinstance(expected, str) else ""
                _fail("assert_shapes", f"array {number} has shape {shape}, not {lengths}{named}", text, source)


class Check:
    """A check as the graph holds it."""

    def __init__(self, name: str, run: Callable[..., None]) -> None:
        self.__name__ = name
        self._run = run

    def __call__(self, *values: Any) -> None:
        self._run(*values)


def _record(name: str, run: Callable[..., None], values: tuple[Any, ...]) -> None:
    trace = current()
    if trace is None:
        run(*values)
    else:
        trace.record(by_name("check"), (Check(name, run), *values), {})


def _compare(name: str, test: Callable[..., Any], symbol: str, x: Any, y: Any, text: str) -> None:
    _check(name, f"x {symbol} y", test, (x, y), text, depth=4)


def _check(
    name: str,
    condition: str,
    test: Callable[..., Any],
    values: tuple[Any, ...],
    text: str,
    differ: bool = False,
    depth: int = 3,
) -> None:
    """Runs a test of all elements, or puts it into the graph."""
    source = user_source(depth)

    def run(*values: Any) -> None:
        try:
            held = np.asarray(test(*values))
        except ValueError as error:
            if (shapes := {np.shape(v) for v in values}) and len(shapes) == 1:
                raise
            _fail(name, f"x and y do not fit together: {error}", text, source)
        if held.all():
            return
        first = tuple(int(i) for i in np.argwhere(~np.atleast_1d(held))[0])[: held.ndim]
        shown = " and ".join(str(np.broadcast_to(v, held.shape)[first]) for v in values)
        at = (
            f" in {held.size - np.count_nonzero(held)} of {held.size} elements, first at {list(first)}"
            if held.ndim
            else ""
        )
        largest = f"; the largest difference is {np.max(np.abs(np.subtract(*values)))}" if differ else ""
        _fail(name, f"{condition} fails{at}: {shown}{largest}", text, source)

    _record(name, run, values)


def _fail(name: str, what: str, text: str, source: Source | None) -> None:
    raise AssertionFailedError(message(f"{name}: {what}", where(source), text))
