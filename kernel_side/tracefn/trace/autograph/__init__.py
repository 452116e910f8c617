"""AutoGraph: Python's control flow on traced values, staged into the graph by rewriting the function's syntax tree."""

from . import operators
from .convert import converted_code, to_code
from .syntax import HELPERS

__all__ = ["HELPERS", "converted_code", "operators", "to_code"]
