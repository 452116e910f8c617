"""The user's code as Python has compiled it before: it is parsed again without its warnings."""

from __future__ import annotations

import ast
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


_PARSES = 5
"""The limit of attempts at parsing a text."""


def parsed(source: str) -> ast.Module:
    """The tree of the user's code, without its warnings. Raises SyntaxError.

    Python 3.11 counts the depth of trees for all threads together, and raises SystemError where one parses while
    another does (python/cpython#106905): the text is then parsed again.
    """
    with compiled_before():
        for _ in range(_PARSES - 1):
            with contextlib.suppress(SystemError):
                return ast.parse(source)
        return ast.parse(source)
