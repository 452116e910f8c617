"""Replacements of library functions in traced calls: their reads are noted."""

from __future__ import annotations

from typing import Any

from ...context import Trace
from ..containers.pending import without_pending
from ..containers.split import of_contents
from ..hooks.shown import makes_texts, showing
from .as_written import as_written
from .classes import _is_of_library


def noted(root: Trace, function: Any, made: Any) -> Any:
    """`made`, which is called in the place of a function, with notes of all that a library's function may read."""
    if makes_texts(function):
        made = showing(function, made)
    if not _is_of_library(function):
        return made
    if root.has_undecided:
        made = of_contents(function, made)
    made = as_written(root, function, made)
    return without_pending(function, made) if root.keyed else made
