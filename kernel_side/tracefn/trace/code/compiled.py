"""The user's code as Python has compiled it before: it is parsed again without its warnings."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator


@contextlib.contextmanager
def compiled_before() -> Iterator[None]:
    """Around what parses or compiles the user's code: Python warned of what is in it (escapes, `is` of a literal) when
    it was imported."""
    with warnings.catch_warnings():
        for category in (SyntaxWarning, DeprecationWarning):
            warnings.simplefilter("ignore", category)
        yield
