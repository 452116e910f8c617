"""AutoGraph: Python's control flow on traced values, staged into the graph by rewriting the function's syntax tree."""

from . import operators
from .convert import REWRITING, converted_code, do_not_convert, has_control_flow, is_plain, to_code, why_not_converted
from .loops import UNROLL
from .syntax import HELPERS
from .unseen import refuse_unseen

__all__ = [
    "HELPERS",
    "REWRITING",
    "UNROLL",
    "converted_code",
    "do_not_convert",
    "has_control_flow",
    "is_plain",
    "operators",
    "refuse_unseen",
    "to_code",
    "why_not_converted",
]
