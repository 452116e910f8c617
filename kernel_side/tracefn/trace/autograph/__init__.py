"""AutoGraph: Python's control flow on traced values, staged into the graph by rewriting the function's syntax tree."""

from ..code.rewritten import HELPERS
from ..numpy_api import python_list  # noqa: F401 – provides functions for the rooms below
from . import operators
from .calls import vectorize  # noqa: F401 – the same
from .calls.unseen import refuse_unseen
from .hooks.loops import UNROLL
from .rewrite.convert import (
    REWRITING,
    converted_code,
    do_not_convert,
    has_control_flow,
    is_marked,
    to_code,
    why_not_converted,
)
from .rewrite.plain import is_plain

__all__ = [
    "HELPERS",
    "REWRITING",
    "UNROLL",
    "converted_code",
    "do_not_convert",
    "has_control_flow",
    "is_marked",
    "is_plain",
    "operators",
    "refuse_unseen",
    "to_code",
    "why_not_converted",
]
