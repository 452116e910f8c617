"""Switches for all traced functions of the process."""

from __future__ import annotations

from .trace.modes import Mode, Setting

_EAGERLY = Mode("functions run eagerly")
_REUSED = Mode("traces are reused", on=True, concerns_calls=False)


def run_functions_eagerly(run_eagerly: bool = True) -> Setting:
    """Whether calls of traced functions run the Python function itself, as if it were not decorated: for debuggers.

    It holds for all threads from now on; as a context manager, until the block ends. Traces are kept, and none are made
    by calls; `get_concrete_function` still traces.

    >>> import numpy as np, tracefn
    >>> @tracefn.function
    ... def f(x):
    ...     print("Python runs")
    ...     return x + 1
    >>> f(np.zeros(2)), f(np.zeros(2))
    Python runs
    (array([1., 1.]), array([1., 1.]))
    >>> with tracefn.config.run_functions_eagerly(True):
    ...     f(np.zeros(2))
    Python runs
    array([1., 1.])
    >>> tracefn.config.functions_run_eagerly()
    False
    """
    return _EAGERLY.set(run_eagerly)


def functions_run_eagerly() -> bool:
    """True if calls of traced functions run the Python function itself."""
    return _EAGERLY.on


def reuse_traces(reuse: bool = True) -> Setting:
    """Whether a traced function that is defined again goes on with the traces that it had: as when a notebook cell is
    run again. It is on unless switched off.

    The definition must be of the same name, source, defaults and options, at the top level of a module or notebook. It
    holds from now on; as a context manager, until the block ends.

    >>> import numpy as np, tracefn
    >>> @tracefn.function
    ... def f(x):
    ...     return x + 1
    >>> f(np.zeros(2)), f.tracing_count
    (array([1., 1.]), 1)
    >>> @tracefn.function
    ... def f(x):
    ...     return x + 1
    >>> f.tracing_count
    1
    >>> with tracefn.config.reuse_traces(False):
    ...     @tracefn.function
    ...     def f(x):
    ...         return x + 1
    >>> f.tracing_count
    0
    """
    return _REUSED.set(reuse)


def traces_are_reused() -> bool:
    """True if a function that is defined again goes on with the traces that it had."""
    return _REUSED.on
