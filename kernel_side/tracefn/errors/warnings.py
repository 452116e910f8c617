"""Warnings: calls that work, and cost more or say less than they could."""

from __future__ import annotations


class AutographWarning(UserWarning):
    """A function with branches or loops could not be rewritten by AutoGraph, so it ran as it is written.

    The warning names the function, its line and the cause: its source cannot be read (it was made by `exec`), it is a
    generator, or it reads the variables of its frame (`locals()`). On Python values it works as ever; a branch on a
    traced value in it raises `TensorBoolError`.

    What to do: put the code into a file or notebook cell, write a loop instead of a generator, or mark the function
    with `tracefn.autograph.do_not_convert`, which says that it is meant so.

    >>> import numpy as np, tracefn, warnings
    >>> scope = {}
    >>> exec("def f(x):\\n    return x if x.sum() > 1 else -x", scope)
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     try:
    ...         tracefn.function(scope["f"], on_unsupported="error")(np.ones(2))
    ...     except tracefn.errors.TensorBoolError:
    ...         pass
    >>> [w.category.__name__ for w in caught]
    ['AutographWarning']

    Repaired:

    >>> def with_source(x):
    ...     return x if x.sum() > 1 else -x
    >>> tracefn.function(with_source)(np.ones(2))
    array([1., 1.])
    """


class FallbackWarning(UserWarning):
    """A call could not be traced, so the Python function itself ran: the answer is eager's, and so is the time.

    The warning names the line that stands in the way, why, and what to do about it. It is given once for each function
    and reason; `f.fallbacks` has all of them, with how often each was called.

    What to do: what it says; or, where running eagerly is meant, silence it:
    `warnings.simplefilter("ignore", tracefn.errors.FallbackWarning)`. To get the error instead, decorate with
    `tracefn.function(on_unsupported="error")`, or call `tracefn.config.on_unsupported("error")` for all functions.

    >>> import numpy as np, tracefn, warnings
    >>> f = tracefn.function(lambda x: x.tobytes()[:1], on_unsupported="eager")
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     f(np.zeros(1))
    b'\\x00'
    >>> [w.category.__name__ for w in caught]
    ['FallbackWarning']

    Repaired:

    >>> tracefn.function(lambda x: x, on_unsupported="eager")(np.zeros(1)).tobytes()[:1]
    b'\\x00'
    """


class TracingOnlyWarning(UserWarning):
    """`print` or logging in a traced function happened while tracing, and will not at calls that find the trace.

    `tf.function` does the same: a print shows when tracing happens. Scripts get one warning for each function and line;
    notebooks show it in the panel.

    What to do: write `tracefn.print` to print at each call, `tracefn.py_function(logging.info, [...])` to log at each
    call; or, if once is enough, silence it: `warnings.simplefilter("ignore", tracefn.errors.TracingOnlyWarning)`.

    >>> import numpy as np, tracefn
    >>> def f(x):
    ...     print("tracing")
    ...     return x + 1
    >>> traced = tracefn.function(f)
    >>> x, y = traced(np.ones(2)), traced(np.ones(2))
    tracing

    Repaired:

    >>> def g(x):
    ...     tracefn.print("running")
    ...     return x + 1
    >>> traced = tracefn.function(g)
    >>> x, y = traced(np.ones(2)), traced(np.ones(2))
    running
    running
    """


class RetraceWarning(UserWarning):
    """A function was traced five times in ten calls or fewer, each time for the same cause.

    The warning names the cause, what the traces cost so far, and the change that would have avoided them, where a
    replay of the calls proves one. It is given once for each function and cause.

    What to do: what it says; `explain()` and `what_if()` of the function tell more. Where the traces are meant, as at
    the start of a training with many shapes, silence it:
    `warnings.simplefilter("ignore", tracefn.errors.RetraceWarning)`.

    >>> import numpy as np, tracefn, warnings
    >>> f = tracefn.function(lambda x: x + 1)
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     shapes = [f(np.ones(n)).shape for n in range(1, 7)]
    >>> [w.category.__name__ for w in caught]
    ['RetraceWarning']

    Repaired:

    >>> g = tracefn.function(lambda x: x + 1, input_signature=[tracefn.TensorSpec((None,), np.float64)])
    >>> shapes = [g(np.ones(n)).shape for n in range(1, 7)]
    >>> len(g.concrete_functions)
    1
    """
