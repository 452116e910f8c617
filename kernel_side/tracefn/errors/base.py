"""The base class of all errors, and how their messages are put together."""

from __future__ import annotations


class TracefnError(Exception):
    """The base class of all errors that tracefn raises by itself.

    Errors of NumPy come out as NumPy raises them, while tracing too: a shape that does not fit is a ValueError with
    NumPy's own words.

    >>> import numpy as np, tracefn
    >>> f = tracefn.function(lambda x: x.tobytes(), on_unsupported="error")
    >>> try:
    ...     f(np.ones(2))
    ... except tracefn.TracefnError as error:
    ...     print(type(error).__name__)
    TensorConversionError

    Repaired, the conversion is outside:

    >>> len(tracefn.function(lambda x: x * 2, on_unsupported="error")(np.ones(2)).tobytes())
    16
    """


def message(what: str, where: str = "", fix: str = "") -> str:
    """The text of an error: what happened, where, and what to do."""
    lines = [what]
    if where:
        lines.append(f"  at {where}")
    if fix:
        lines.append(f"  {fix}")
    return "\n".join(lines)
