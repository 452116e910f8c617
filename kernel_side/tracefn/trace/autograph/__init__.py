"""AutoGraph: Python's control flow on traced values, staged into the graph by rewriting the function's syntax tree."""

from . import operators
from .convert import converted_code, do_not_convert, to_code, why_not_converted
from .syntax import HELPERS

__all__ = ["HELPERS", "converted_code", "do_not_convert", "operators", "to_code", "why_not_converted"]
