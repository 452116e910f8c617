"""Errors of code that asks a traced value for more than it has, or writes where that cannot be followed."""

from __future__ import annotations

from .base import TracefnError


class TensorConversionError(TracefnError, TypeError):
    """A traced value was turned into a concrete array or number, which it does not have yet.

    While a function is traced its arrays are symbols: they have a dtype and a shape, and no elements. Code that needs
    elements at once, such as `np.asarray(x)` in a library, `float(x)`, `int(x)`, `x.item()`, `range(x)` or a C function
    that reads the buffer, cannot be traced.

    What to do: use a NumPy function on the traced value instead (`x.astype(np.float64)` for `float(x)`), take the
    value as a Python argument (each value then gets its own trace), or move the code out of the traced function.

    >>> import numpy as np, tracefn
    >>> @tracefn.function(on_unsupported="error")
    ... def packed(x):
    ...     return (x * 2).tobytes()
    >>> packed(np.ones(1))
    Traceback (most recent call last):
        ...
    tracefn.errors.TensorConversionError: the result of `*` (float64[1]) ... was read with .tobytes()...
    >>> @tracefn.function(on_unsupported="error")
    ... def doubled(x):
    ...     return x * 2
    >>> doubled(np.ones(1)).tobytes() == np.full(1, 2.0).tobytes()
    True
    """


class TensorBoolError(TensorConversionError):
    """Python asked a traced value whether it is true where the graph cannot hold the question: `assert x.all()`.

    `if`, `while`, `for`, `and`, `or` and `not` on traced values are staged (`autograph=True`), where the source of the
    function can be read. What to do elsewhere: `np.where(condition, a, b)` chooses element by element; `&`, `|` and `~`
    combine conditions; a Python argument (each value then gets its own trace) may be tested freely.

    >>> import numpy as np, tracefn
    >>> def positive(x):
    ...     return x if x.sum() > 0 else -x
    >>> tracefn.function(positive, autograph=False, on_unsupported="error")(np.ones(2))
    Traceback (most recent call last):
        ...
    tracefn.errors.TensorBoolError: the result of `>` (bool) ... was used as a condition...
    >>> tracefn.function(lambda x: np.where(x.sum() > 0, x, -x), autograph=False)(-np.ones(2))
    array([1., 1.])
    """


class TensorIterationError(TracefnError, TypeError):
    """A traced value was iterated over or unpacked although its length is not known, or it has no axis.

    Iterating over an array works and unrolls: one copy of the loop body for each row. Where the signature leaves the
    length open, the length of the call that is traced is taken, and guarded. Where there is no such call, or only
    values decide the length, there is nothing to unroll.

    What to do: work on the whole array, or give the axis a known length in `input_signature`.

    >>> import numpy as np, tracefn
    >>> any_length, two = [tracefn.TensorSpec((n,), np.float64) for n in (None, 2)]
    >>> tracefn.function(lambda x: sum(x), autograph=False).get_concrete_function(any_length)
    Traceback (most recent call last):
        ...
    tracefn.errors.TensorIterationError: argument `x` (float64[n]) was iterated over, and its length `n` is not known...
    >>> tracefn.function(lambda x: sum(x), autograph=False).get_concrete_function(two)(np.ones(2))
    np.float64(2.0)
    """


class LeakedTensorError(TracefnError):
    """A traced value was used after its trace had ended, or in another trace.

    A traced value that is stored in a global, in an attribute or in a list outside lives longer than its trace, and
    then means nothing. What to do: return the value from the traced function, and store what the call returns.

    >>> import numpy as np, tracefn
    >>> kept = []
    >>> @tracefn.function(autograph=False)
    ... def leaks(x):
    ...     kept.append(x * 2)
    ...     return x
    >>> _ = leaks(np.ones(2))
    >>> kept[0] + 1
    Traceback (most recent call last):
        ...
    tracefn.errors.LeakedTensorError: the result of `*` (float64[2]) ... belongs to the trace of `leaks`...
    >>> @tracefn.function
    ... def returns(x):
    ...     return x, x * 2
    >>> x, twice = returns(np.ones(2))
    >>> twice + 1
    array([3., 3.])
    """


class InPlaceWriteError(TracefnError, TypeError):
    """An array was written to in place (`x[0] = 1`, `x += 1`, `out=x`), and it is not certain where that must be seen.

    Writes are traced, through views, into arguments and into arrays outside. Refused are: writing into an array whose
    memory a traced value chose (a branch took a view of another one, a staged loop has swapped it with another),
    or of which it is not known (`x.T.reshape(-1)` with open lengths); into one of two arguments
    that share memory of an array far larger than both; into an array that a list of the graph holds; `x.resize()`;
    changing a container outside other than by adding to it; and changing a list or dict that is an argument twice, or
    putting one argument into another.

    What to do: write into a copy (`y = y.copy()`), and return it. Of arguments that share memory, pass the whole array
    and take the views inside.

    >>> import numpy as np, tracefn
    >>> @tracefn.function(on_unsupported="error")
    ... def shift(a, b):
    ...     a[:] = b
    >>> x = np.arange(100.0)
    >>> shift(x[1:4], x[:3])
    Traceback (most recent call last):
        ...
    tracefn.errors.InPlaceWriteError: argument `a` (float64[3]) is written to in place, and argument `b` ...
    >>> @tracefn.function(on_unsupported="error")
    ... def shift_all(x):
    ...     x[1:] = x[:-1]
    >>> shift_all(x)
    >>> x[:4]
    array([0., 0., 1., 2.])
    """


class SymbolicDimensionError(TracefnError, TypeError):
    """Python code needs the number behind a dimension that was declared `None`, and there is no call to take it from.

    Arithmetic on such a dimension, and passing it on as a shape, works. Comparing it, or looping over it, fixes it: at
    a call that is recorded as a guard, but `get_concrete_function` with a `TensorSpec` has no number to take.

    What to do: declare the dimension with its length, or call the function with an array.

    >>> import numpy as np, tracefn
    >>> def halved(x):
    ...     return x[::2] if len(x) > 4 else x
    >>> tracefn.function(halved).get_concrete_function(tracefn.TensorSpec((None,), np.float64))
    Traceback (most recent call last):
        ...
    tracefn.errors.SymbolicDimensionError: `n > 4` needs the number behind the dimension `n` of `halved`...
    >>> tracefn.function(halved).get_concrete_function(tracefn.TensorSpec((6,), np.float64))(np.arange(6.0))
    array([0., 2., 4.])
    """
