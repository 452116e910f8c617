"""What can go wrong for a user: one class for each failure. A class's docstring is its help page.

Every message says what happened, where (file or cell, and line), and what to do. `docs/errors.md` is made from here.
"""

from __future__ import annotations


class TracefnError(Exception):
    """The base class of all errors that tracefn raises by itself.

    Errors of NumPy come out as NumPy raises them, while tracing too: a shape that does not fit is a ValueError with
    NumPy's own words.
    """


def message(what: str, where: str = "", fix: str = "") -> str:
    """The text of an error: what happened, where, and what to do."""
    lines = [what]
    if where:
        lines.append(f"  at {where}")
    if fix:
        lines.append(f"  {fix}")
    return "\n".join(lines)


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
    that share some of their memory; into an array that a list of the graph holds; `x.resize()`; changing a
    container outside other than by adding to it; and changing a list or dict that is an argument twice, or putting one
    argument into another.

    What to do: write into a copy (`y = y.copy()`), and return it. Of arguments that share memory, pass the whole array
    and take the views inside.

    >>> import numpy as np, tracefn
    >>> @tracefn.function(on_unsupported="error")
    ... def shift(a, b):
    ...     a[:] = b
    >>> x = np.arange(4.0)
    >>> shift(x[1:], x[:-1])
    Traceback (most recent call last):
        ...
    tracefn.errors.InPlaceWriteError: argument `a` (float64[3]) is written to in place, and argument `b` ...
    >>> @tracefn.function(on_unsupported="error")
    ... def shift_all(x):
    ...     x[1:] = x[:-1]
    >>> shift_all(x)
    >>> x
    array([0., 0., 1., 2.])
    """


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


class UnsupportedArgumentError(TracefnError, TypeError):
    """An argument of a traced function, or an array that it uses, is of a kind that cannot be traced.

    Refused are subclasses of `np.ndarray` with their own meaning of operators (`np.matrix`, masked arrays), arrays of
    Python objects or raw bytes, and single elements of structured arrays. What to do: pass a plain array
    (`np.asarray(x)`); pass a structured array as a whole, with the index of the element.

    >>> import numpy as np, tracefn
    >>> f = tracefn.function(lambda x: x + 1, on_unsupported="error")
    >>> f(np.array([1, 2], object))
    Traceback (most recent call last):
        ...
    tracefn.errors.UnsupportedArgumentError: argument `x` holds Python objects (dtype object)...
    >>> f(np.array([1, 2]))
    array([2, 3])
    """


class ArgumentMismatchError(TracefnError, TypeError):
    """A call does not fit the declared `input_signature`, or the signature of the concrete function that is called.

    Arrays are never cast or reshaped silently. What to do: convert at the call (`x.astype(np.float32)`), or declare
    what you pass: `None` for a dimension of any length.

    >>> import numpy as np, tracefn
    >>> f = tracefn.function(lambda x: x + 1, input_signature=[tracefn.TensorSpec((None,), np.float32)])
    >>> f(np.ones(2))
    Traceback (most recent call last):
        ...
    tracefn.errors.ArgumentMismatchError: `lambda`: argument `x` is float64[2], but its input_signature declares ...
    >>> f(np.ones(2, np.float32))
    array([2., 2.], dtype=float32)
    """


class ShapeMismatchError(ArgumentMismatchError, ValueError):
    """An array of the declared dtype has another number of axes, or another length, than the signature says.

    It is a ValueError as well as a TypeError, as NumPy raises ValueError where shapes do not fit. What to do: reshape
    at the call, or declare what you pass: `None` for a dimension of any length, `TensorSpec(None)` for any shape.

    >>> import numpy as np, tracefn
    >>> f = tracefn.function(lambda x: x + 1, input_signature=[tracefn.TensorSpec((None,), np.float64)])
    >>> f(np.ones((1, 2)))
    Traceback (most recent call last):
        ...
    tracefn.errors.ShapeMismatchError: `lambda`: argument `x` is float64[1, 2], but its input_signature declares ...
    >>> f(np.ones((1, 2)).ravel())
    array([2., 2.])
    """


class InputSignatureError(TracefnError, TypeError):
    """An `input_signature` that cannot be right: not a sequence of `TensorSpec`s, or not one for each parameter.

    >>> import numpy as np, tracefn
    >>> tracefn.function(lambda x: x + 1, input_signature=[np.float32])
    Traceback (most recent call last):
        ...
    tracefn.errors.InputSignatureError: the input_signature of `lambda` has ...
    >>> tracefn.function(lambda x: x + 1, input_signature=[tracefn.TensorSpec((None,), np.float64)])(np.ones(1))
    array([2.])
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


class ControlFlowError(TracefnError, TypeError):
    """The branches or the rounds of a loop do not fit together.

    All branches of a `cond` or `switch` must give results of the same structure, dtype and rank, and each round of a
    loop or scan must leave its state with the structure, dtype and rank that it found. A Python number fits any dtype
    that NumPy's promotion lets it take; `None`, a text or a function may be what one of them gives. Lengths may differ:
    such a length is known at call time only. What a scan runs over must be arrays with one leading length, and its
    function returns two things, the carry and a result.

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


class AssertionFailedError(TracefnError, AssertionError):
    """A check of `tracefn.debugging` does not hold: `assert_equal`, `assert_all_finite` and the like.

    The message names the line of the check, how many elements fail, and the first of them. What to do: find out where
    the values come from; `tracefn.debugging.enable_check_numerics()` names the operation that made a NaN or an Inf.

    >>> import numpy as np, tracefn
    >>> tracefn.debugging.assert_all_finite(np.array([1.0, np.inf]))
    Traceback (most recent call last):
        ...
    tracefn.errors.AssertionFailedError: assert_all_finite: np.isfinite(x) fails in 1 of 2 elements...
    >>> tracefn.debugging.assert_all_finite(np.array([1.0, 2.0]))
    """


class NumericsError(TracefnError, FloatingPointError):
    """A NaN or an Inf was computed while `tracefn.debugging.enable_check_numerics()` was on.

    The message names the operation, its line and its inputs; or the argument that held it already. What to do: change
    the operation or what it is given (`np.log(np.maximum(x, tiny))`, `np.where` on its argument rather than on its
    result). Where Inf is meant, as in a mask, leave the check off for that function.

    >>> import numpy as np, tracefn
    >>> f = tracefn.function(lambda x: 1 / x)
    >>> with tracefn.debugging.enable_check_numerics(), np.errstate(divide="ignore"):
    ...     f(np.zeros(1))
    Traceback (most recent call last):
        ...
    tracefn.errors.NumericsError: `1 / x` made Inf in 1 of 1 elements, first at [0]...
    >>> with tracefn.debugging.enable_check_numerics():
    ...     f(np.maximum(np.zeros(1), 0.5))
    array([2.])
    """


class RetraceError(TracefnError, RuntimeError):
    """A call inside `tracefn.no_retrace()` needs a new trace.

    The message names every difference from every earlier trace, the nearest first, and the change that would avoid it,
    where there is one. Nothing was traced or run. What to do: what it says, or call the function before the block with
    every kind of argument that it gets in it.

    >>> import numpy as np, tracefn
    >>> f = tracefn.function(lambda x: x + 1)
    >>> _ = f(np.ones(2))
    >>> with tracefn.no_retrace():
    ...     f(np.ones(3))
    Traceback (most recent call last):
        ...
    tracefn.errors.RetraceError: `lambda` would be traced again (#2): x changed shape (2,) → (3,) at dimension 0...
    >>> _ = f(np.ones(3))
    >>> with tracefn.no_retrace():
    ...     f(np.ones(3))
    array([2., 2., 2.])
    """


class FallbackError(TracefnError, RuntimeError):
    """A traced function ran eagerly in a `tracefn.no_fallback()` block, or in a test with the fixture `no_fallback`.

    The message names each function, the line without a graph, the reason, and the fix. The calls themselves were made,
    with eager results.

    What to do: apply the fix; or move calls that are meant to run eagerly out of the block.

    >>> import numpy as np, tracefn, warnings
    >>> warnings.simplefilter("ignore", tracefn.errors.FallbackWarning)
    >>> packed = tracefn.function(lambda x: (x * 2).tobytes(), on_unsupported="eager")
    >>> with tracefn.no_fallback():
    ...     _ = packed(np.ones(1))
    Traceback (most recent call last):
        ...
    tracefn.errors.FallbackError: `lambda` ran eagerly (1 call, x: float64[1]): ...
    >>> doubled = tracefn.function(lambda x: x * 2)
    >>> with tracefn.no_fallback():
    ...     _ = doubled(np.ones(1)).tobytes()
    """


class DeviceUnavailableError(TracefnError, RuntimeError):
    """The asked device is not there: `device='gpu'` needs CuPy and an NVIDIA GPU that it can use.

    What to do: `pip install "tracefn[gpu]"` on a machine with a GPU, or leave `device` out.
    """


class GraphvizMissingError(TracefnError, RuntimeError):
    """Drawing to SVG needs Graphviz's `dot` program, which was not found.

    What to do: install Graphviz (`apt install graphviz`, `brew install graphviz`, `conda install graphviz`), or use
    `graph.to_dot()` and draw the text elsewhere. The JupyterLab panel draws without it.
    """


class VerificationError(TracefnError, AssertionError):
    """A graph breaks a rule of the representation. This is a fault in tracefn: please report it with the message."""


class ResultsDifferError(TracefnError, AssertionError):
    """The eager function and its graph gave different results, so `tracefn.timing.compare` did not time them.

    The message shows the first elements that differ. A usual cause is a function that does not depend on its arguments
    alone: it draws random numbers, reads a clock or a file, or counts its calls. What to do: pass what changes as an
    argument. If the function depends on its arguments alone, the graph is wrong: please report it.

    >>> import time
    >>> import numpy as np, tracefn
    >>> later = tracefn.function(lambda x: x + time.perf_counter())
    >>> tracefn.timing.compare(later, np.ones(2))
    Traceback (most recent call last):
        ...
    tracefn.errors.ResultsDifferError: lambda was not timed: its graph does not give what the Python function gives...
    >>> added = tracefn.function(lambda x, now: x + now)
    >>> tracefn.timing.compare(added, np.ones(2), np.float64(time.perf_counter())).name
    'lambda'
    """


class WidgetBundleMissingError(TracefnError, RuntimeError):
    """The front-end code of the widgets is not there: the package runs from a checkout in which it was not built.

    What to do: run `npm ci` and `npm run build` in the checkout (`make lab` does both), or install the wheel, which
    has it.
    """


class AutographWarning(UserWarning):
    """A function with branches or loops could not be rewritten by AutoGraph, so it ran as it is written.

    The warning names the function, its line and the cause: its source cannot be read (it was made by `exec`), it is a
    generator, or it reads the variables of its frame (`locals()`). On Python values it works as ever; a branch on a
    traced value in it raises `TensorBoolError`.

    What to do: put the code into a file or notebook cell, write a loop instead of a generator, or mark the function
    with `tracefn.autograph.do_not_convert`, which says that it is meant so.
    """


class FallbackWarning(UserWarning):
    """A call could not be traced, so the Python function itself ran: the answer is eager's, and so is the time.

    The warning names the line that stands in the way, why, and what to do about it. It is given once for each function
    and reason; `f.fallbacks` has all of them, with how often each was called.

    What to do: what it says; or, where running eagerly is meant, silence it:
    `warnings.simplefilter("ignore", tracefn.errors.FallbackWarning)`. To get the error instead, decorate with
    `tracefn.function(on_unsupported="error")`, or call `tracefn.config.on_unsupported("error")` for all functions.
    """


class TracingOnlyWarning(UserWarning):
    """`print` or logging in a traced function happened while tracing, and will not at calls that find the trace.

    `tf.function` does the same: a print shows when tracing happens. Scripts get one warning for each function and line;
    notebooks show it in the panel.

    What to do: write `tracefn.print` to print at each call, `tracefn.py_function(logging.info, [...])` to log at each
    call; or, if once is enough, silence it: `warnings.simplefilter("ignore", tracefn.errors.TracingOnlyWarning)`.
    """


class RetraceWarning(UserWarning):
    """A function was traced five times in ten calls or fewer, each time for the same cause.

    The warning names the cause, what the traces cost so far, and the change that would have avoided them, where a
    replay of the calls proves one. It is given once for each function and cause.

    What to do: what it says; `explain()` and `what_if()` of the function tell more. Where the traces are meant, as at
    the start of a training with many shapes, silence it:
    `warnings.simplefilter("ignore", tracefn.errors.RetraceWarning)`.
    """
