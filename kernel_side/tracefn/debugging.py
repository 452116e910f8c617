"""Finding faults: assertions that work in graphs, and a mode that stops at the first NaN or Inf."""

from __future__ import annotations

from .trace.modes import Mode, Setting
from .trace.numpy_api.checks import (
    assert_all_finite,
    assert_equal,
    assert_greater,
    assert_greater_equal,
    assert_less,
    assert_less_equal,
    assert_near,
    assert_non_negative,
    assert_positive,
    assert_rank,
    assert_shapes,
    assert_type,
)

_NUMERICS = Mode("numerics are checked")


def enable_check_numerics() -> Setting:
    """From now on, or in a `with` block, every traced function raises at the first NaN or Inf that it computes, and so
    does every tape.

    The `NumericsError` names the operation, its line in your code and its operands; an event tells the panel. An
    argument that holds a NaN or an Inf already is named as such. Functions then run a slower program, which checks
    after every operation, also inside branches and loops; traces are kept as they are.

    >>> import numpy as np, tracefn
    >>> f = tracefn.function(lambda x: np.sum(np.sqrt(x - 1)))
    >>> with tracefn.debugging.enable_check_numerics(), np.errstate(invalid="ignore"):
    ...     f(np.array([1.0, 0.5]))
    Traceback (most recent call last):
    tracefn.errors.NumericsError: `np.sqrt(v0)` made NaN in 1 of 2 elements, first at [1]
        v0: float64[2] from -0.5 to 0.0
    ...
    """
    return _NUMERICS.set(True)


def disable_check_numerics() -> Setting:
    """Ends the checks of `enable_check_numerics`; as a context manager, until the block ends.

    >>> import numpy as np, tracefn
    >>> f = tracefn.function(lambda x: np.sqrt(x))
    >>> with tracefn.debugging.enable_check_numerics(), tracefn.debugging.disable_check_numerics():
    ...     with np.errstate(invalid="ignore"):
    ...         f(np.array([-1.0]))
    array([nan])
    """
    return _NUMERICS.set(False)


def numerics_are_checked() -> bool:
    """True if traced functions raise at the first NaN or Inf."""
    return _NUMERICS.on


__all__ = [
    "assert_all_finite",
    "assert_equal",
    "assert_greater",
    "assert_greater_equal",
    "assert_less",
    "assert_less_equal",
    "assert_near",
    "assert_non_negative",
    "assert_positive",
    "assert_rank",
    "assert_shapes",
    "assert_type",
    "disable_check_numerics",
    "enable_check_numerics",
    "numerics_are_checked",
]
