"""NumPy's warnings of a call that is made again: its program has shown them up to where it raised."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator

from ...trace.foreign.surroundings import show, warnings_kept

_OF_NUMPY = " encountered in "
"""The text in all warnings of floating-point errors: "overflow encountered in scalar multiply"."""


@contextlib.contextmanager
def not_warned_again(known: Exception) -> Iterator[None]:
    """Around the Python function, after a program has raised an error. Where the function raises it as well, it has
    come as far as the program, and its warnings were shown."""
    try:
        with warnings_kept() as kept:
            yield
    except Exception as error:
        if type(error) is type(known) and str(error) == str(known):
            kept[:] = [w for w in kept if not _is_of_numpy(w)]
        raise
    finally:
        show(kept)


def _is_of_numpy(warning: warnings.WarningMessage) -> bool:
    return issubclass(warning.category, RuntimeWarning) and _OF_NUMPY in str(warning.message)
