"""Errors of traced functions in which something has no place in a graph."""

from __future__ import annotations

from .base import TracefnError


class UnsupportedFunctionError(TracefnError, NotImplementedError):
    """A NumPy function, or a way of calling it, that tracefn does not trace.

    `docs/numpy.md` lists what is traced. What to do: the message names the alternative where there is one; otherwise
    move the call out of the traced function.

    >>> import numpy as np, tracefn
    >>> @tracefn.function(on_unsupported="error")
    ... def as_matrix(x):
    ...     return np.asmatrix(x) * 2
    >>> as_matrix(np.ones((1, 2)))
    Traceback (most recent call last):
        ...
    tracefn.errors.UnsupportedFunctionError: ...
    >>> tracefn.function(lambda x: x * 2, on_unsupported="error")(np.ones((1, 2)))
    array([[2., 2.]])
    """


class ControlFlowError(TracefnError, TypeError):
    """The branches or the rounds of a loop do not fit together.

    All branches of a `cond` or `switch` must give results of the same structure, dtype and rank, and each round of a
    loop or scan must leave its state with the structure, dtype and rank that it found. A Python number fits any dtype
    that NumPy's promotion lets it take; `None`, a text or a function may be the result of one of them. Lengths may
    differ: such a length is known at call time only. The operands of a scan must be arrays with one leading length, and
    its function returns two things, the carry and a result.

    What to do: convert with `x.astype(...)` where the dtypes meet, give a variable its final dtype and shape before the
    loop, and return the same things from all branches.

    >>> import numpy as np, tracefn
    >>> @tracefn.function(on_unsupported="error")
    ... def unlike(x):
    ...     return tracefn.cond(x.sum() > 0, lambda: x, lambda: (x, x))
    >>> unlike(np.ones(2))
    Traceback (most recent call last):
        ...
    tracefn.errors.ControlFlowError: the branches give `result` different structures...
    >>> @tracefn.function(on_unsupported="error")
    ... def alike(x):
    ...     return tracefn.cond(x.sum() > 0, lambda: (x, -x), lambda: (x, x))
    >>> alike(np.ones(2))[1]
    array([-1., -1.])
    """


class UnsupportedResultError(TracefnError, TypeError):
    """A traced function returned something that cannot be rebuilt at each call: a generator, an open file, a set of
    arrays.

    What to do: return arrays, Python values, and tuples, lists, dicts, named tuples, dataclasses or registered classes
    of them.

    >>> import numpy as np, tracefn
    >>> @tracefn.function(on_unsupported="error")
    ... def lazily(x):
    ...     return iter([x, x + 1])
    >>> lazily(np.ones(1))
    Traceback (most recent call last):
        ...
    tracefn.errors.UnsupportedResultError: `lazily` returns a result of type builtins.list_iterator...
    >>> @tracefn.function(on_unsupported="error")
    ... def at_once(x):
    ...     return [x, x + 1]
    >>> at_once(np.ones(1))
    [array([1.]), array([2.])]
    """


class PyFunctionResultError(TracefnError, TypeError):
    """A function called by `tracefn.py_function` returned something else than its `Tout` says.

    The graph after the call was made for the declared dtype, rank, lengths and structure. What to do: declare in `Tout`
    what the function returns (a `TensorSpec` for each array, `None` for a length that may vary, a dtype for a scalar),
    or convert in the function: `return x.astype(np.float32)`.

    >>> import numpy as np, tracefn
    >>> def step(v):
    ...     return v + 1
    >>> tracefn.function(lambda x: tracefn.py_function(step, [x], np.float32), on_unsupported="error")(np.ones(2))
    Traceback (most recent call last):
        ...
    tracefn.errors.PyFunctionResultError: the function `step` called by py_function returned float64[2] as its result...
    >>> result = tracefn.TensorSpec((None,), np.float64)
    >>> tracefn.function(lambda x: tracefn.py_function(step, [x], result), on_unsupported="error")(np.ones(2))
    array([2., 2.])
    """
