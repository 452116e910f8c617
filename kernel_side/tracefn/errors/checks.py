"""Errors found by a check, a block or a comparison that the user asked for."""

from __future__ import annotations

from .base import TracefnError


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
    tracefn.errors.ResultsDifferError: lambda was not timed: its graph does not give the results of...
    >>> added = tracefn.function(lambda x, now: x + now)
    >>> tracefn.timing.compare(added, np.ones(2), np.float64(time.perf_counter())).name
    'lambda'
    """


class VerificationError(TracefnError, AssertionError):
    """A graph breaks a rule of the representation. This is a fault in tracefn: please report it with the message."""
