"""The user's code as Python has compiled it before: it is parsed again without its warnings."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator


@contextlib.contextmanager
def compiled_before() -> Iterator[None]:
    """Around parsing or compiling of the user's code: Python gave its warnings (escapes, `is` of a literal) when it
    was imported."""
    with warnings.catch_warnings():
        for category in (SyntaxWarning, DeprecationWarning):
            warnings.simplefilter("ignore", category)
        yield
