"""Effects of a traced function at every execution: it prints, and calls Python functions on arrays."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from ..errors import PyFunctionResultError, UnsupportedFunctionError, message
from ..ir.dims import Dim
from ..ir.op import by_name
from ..ir.place import Source
from ..ir.template import TextOf
from ..ir.types import Kind, TensorType, type_of
from .active import current
from .context import Trace
from .numpy_api.checks import Check
from .origin import user_source, where
from .reads import as_value
from .signature import TensorSpec
from .tensor import Tensor
from .tree import Tree, flatten, unflatten
from .values.traced_text import Text


def print_(*values: Any, sep: str | None = " ", end: str | None = "\n") -> None:
    """Prints at every execution, in program order, as Python's `print` does without tracing.

    Values may be traced, and structures of them (lists, dicts, dataclasses) may hold traced values. Inside a branch or
    loop that stays in the graph it prints whenever the body runs. The text goes to `sys.stdout`.

    >>> import numpy as np, tracefn
    >>> @tracefn.function
    ... def f(x):
    ...     tracefn.print("x is", x)
    ...     return x + 1
    >>> _ = f(np.zeros(2)), f(np.ones(2))
    x is [0. 0.]
    x is [1. 1.]
    """
    trace, values = current(), tuple([v.tensor if type(v) is Text else as_value(v) for v in values])
    if trace is None:
        builtins.print(*values, sep=sep, end=end)
    elif not all(type(v) is TextOf or _is_plain(flatten(v)[1]) for v in values):
        _print_structured(trace, values, sep, end)
    else:
        options = {"sep": " " if sep is None else sep, "end": "\n" if end is None else end}
        trace.record(by_name("print"), values, options)


def _is_plain(tree: Tree) -> bool:
    """True for structures that a call template can hold."""
    return tree.is_leaf or (tree.type in (tuple, list, dict) and all(map(_is_plain, tree.children)))


def _print_structured(trace: Trace, values: tuple[Any, ...], sep: str | None, end: str | None) -> None:
    """Prints named tuples, dataclasses and the like, built anew from their values at run time."""
    leaves, tree = flatten(values)

    def run(*found: Any) -> None:
        builtins.print(*unflatten(tree, list(found), like=values), sep=sep, end=end)

    trace.record(by_name("check"), (Check("print", run), *[leaf for _, leaf in leaves]), {})


def py_function(func: Callable[..., Any], inp: Sequence[Any] = (), Tout: Any = None) -> Any:
    """Calls `func(*inp)` on concrete arrays at every execution, in program order, and gives its result.

    Parameters
    ----------
    func: callable
        Any Python function. It is given NumPy arrays, which it may keep and must not write to (they are read-only),
        NumPy scalars and Python values. Its errors come out of the call unchanged.
    inp: list or tuple
        Its arguments: traced values, arrays, numbers, and whatever else is no array.
    Tout: TensorSpec, dtype, or a structure of them, or None
        Its results: a `TensorSpec` for each array (None for a length that only the call knows), a dtype for a NumPy
        scalar, in tuples, lists or dicts. None or an empty list: it is called for its effect, and its result dropped.

    A result of another dtype, shape or structure raises `PyFunctionResultError`; Python numbers and lists are
    converted. Outside of a trace `func` is called at once, with the same conversions and checks.

    >>> import numpy as np, tracefn
    >>> def middle(x):
    ...     return sorted(x.tolist())[len(x) // 2]
    >>> f = tracefn.function(lambda x: tracefn.py_function(middle, [x * 2], np.float64) + 1)
    >>> f(np.array([5.0, 1.0, 3.0]))
    np.float64(7.0)
    """
    return _call("py_function", func, inp, Tout)


def numpy_function(func: Callable[..., Any], inp: Sequence[Any] = (), Tout: Any = None, stateful: bool = True) -> Any:
    """As `py_function`; with `stateful=False` the call may be left out where nothing uses its result.

    >>> import numpy as np, tracefn
    >>> spec = tracefn.TensorSpec((None,), np.int64)
    >>> f = tracefn.function(lambda x: tracefn.numpy_function(np.flatnonzero, [x > 1], spec, stateful=False))
    >>> f(np.array([1.0, 2.0, 3.0]))
    array([1, 2])
    """
    return _call("py_function" if stateful else "numpy_function", func, inp, Tout)


def _call(op_name: str, func: Callable[..., Any], inp: Sequence[Any], declared: Any) -> Any:
    if type(inp) not in (list, tuple):
        raise TypeError(f"py_function takes the arguments of the function as a list: inp=[x], not {type(inp).__name__}")
    trace = current()
    if trace is not None:
        func = trace.original_function(func)
        _refuse_traced_cells(func)
    callback = Callback(func, declared, user_source(3))
    if trace is None:
        results: Any = callback(np, *inp)
    else:
        results = trace.record(by_name(op_name), (callback, *inp), {})
    return callback.structured(results)


class Callback:
    """A Python function as the graph calls it: on read-only arrays, with its results checked against declared specs."""

    def __init__(self, function: Callable[..., Any], declared: Any, source: Source | None) -> None:
        self.function = function
        self.__name__ = str(getattr(function, "__name__", type(function).__name__))
        self._source = source
        self._declared = () if declared is None else declared
        leaves, self._tree = flatten(self._declared, "result")
        self._paths = [path for path, _ in leaves]
        self._specs = [spec if type(spec) is TensorSpec else _scalar(spec) for _, spec in leaves]
        self._dropped = declared is None

    def types(self) -> tuple[TensorType, ...]:
        return tuple([
            TensorType(s.dtype, tuple([Dim.fresh() if n is None else n for n in s.shape]), s.kind or Kind.SCALAR)
            for s in self._specs
        ])  # fmt: skip

    def structured(self, results: Sequence[Any]) -> Any:
        """The results in the declared structure."""
        return None if self._dropped else unflatten(self._tree, list(results), like=self._declared)

    def __call__(self, xp: Any, *values: Any) -> tuple[Any, ...]:
        if xp.__name__ != "numpy":
            values = tuple([xp.asnumpy(v) if isinstance(v, xp.ndarray) else v for v in values])
        returned = self.function(*[_read_only(v) for v in values])
        if not self._specs:
            return ()
        pairs = zip(self._paths, self._leaves(returned), self._specs, strict=True)
        results = [self._checked(*pair) for pair in pairs]
        return tuple(results if xp.__name__ == "numpy" else [xp.asarray(r) for r in results])

    def _leaves(self, returned: Any) -> list[Any]:
        if self._tree.is_leaf:
            return [returned]
        if {type(returned), self._tree.type} <= {tuple, list}:
            returned = self._tree.type(returned)  # type: ignore[misc]
        tree = _cut(returned, self._tree)
        if tree is None:
            self._refuse("result", f"{_structure(self._tree)}", f"{type(returned).__name__}: {returned!r:.60}")
        return tree

    def _checked(self, path: str, value: Any, spec: TensorSpec) -> Any:
        """A result as the declared type. Python numbers take the declared dtype where their kind fits it."""
        number = type(value) in (bool, int, float, complex)
        order = "biufc".find
        kind = np.asarray(value).dtype.kind if number else ""
        weak = number and order(spec.dtype.kind) >= order(kind) and (kind == "b") == (spec.dtype.kind == "b")
        array = np.asarray(value, spec.dtype if weak else None)
        fits = len(array.shape) == len(spec.shape) and all(
            n is None or n == m for n, m in zip(spec.shape, array.shape, strict=True)
        )
        if array.dtype != spec.dtype or not fits:
            self._refuse(path, spec.text, repr(type_of(array if array.ndim else array[()])))
        if spec.kind is not Kind.ARRAY:
            return array[()]
        return array if array.flags.writeable else array.copy()

    def _refuse(self, path: str, expected: str, found: str) -> NoReturn:
        raise PyFunctionResultError(
            message(
                f"the function `{self.__name__}` called by py_function returned {found} as its {path}, and Tout says "
                f"{expected}",
                where(self._source),
                "Declare in Tout what the function returns, or convert it there: `x.astype(...)`.",
            )
        )


def _scalar(dtype: Any) -> TensorSpec:
    """The spec of a NumPy scalar. Raises TypeError for other objects than dtypes."""
    if dtype is None:
        raise TypeError("py_function: Tout holds None where a TensorSpec or a dtype belongs")
    return TensorSpec((), np.dtype(dtype), kind=Kind.SCALAR)


def _cut(value: Any, tree: Tree) -> Any:
    """The list of a value's parts that stand where a structure has its leaves; None where it has another structure."""
    if tree.is_leaf:
        return [value]
    if type(value) is not tree.type:
        return None
    if isinstance(value, dict) and tuple(value) != tree.keys:
        return None
    items: Any = list(value.values()) if isinstance(value, dict) else value
    if len(items) != len(tree.children):
        return None
    parts = [_cut(v, t) for v, t in zip(items, tree.children, strict=True)]
    return None if any(part is None for part in parts) else [leaf for part in parts for leaf in part]


def _structure(tree: Tree) -> str:
    return f"a {tree.kind} of {len(tree.children)}"


def _read_only(value: Any) -> Any:
    if type(value) is not np.ndarray:
        return value
    view = value.view()
    view.flags.writeable = False
    return view


def _refuse_traced_cells(func: Any) -> None:
    """Raises for a function that reads traced variables around it: they have no value when it runs."""
    for name, cell in zip(getattr(getattr(func, "__code__", None), "co_freevars", ()), _cells(func), strict=False):
        try:
            content = cell.cell_contents
        except ValueError:
            continue
        if type(content) is Tensor:
            raise UnsupportedFunctionError(
                message(
                    f"the function `{func.__name__}` given to py_function reads `{name}` around it, which is traced",
                    where(user_source(4)),
                    f"Pass it as an argument: inp=[..., {name}].",
                )
            )


def _cells(func: Any) -> tuple[Any, ...]:
    return getattr(func, "__closure__", None) or ()
