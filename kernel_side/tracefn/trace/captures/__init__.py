"""What a function reads from outside its arguments: globals, closure cells, attributes."""

from .resolve import ArrayCapture, Captures, IdentityCapture, Path, ValueCapture, resolve
from .substitute import FunctionCopies

__all__ = ["ArrayCapture", "Captures", "FunctionCopies", "IdentityCapture", "Path", "ValueCapture", "resolve"]
