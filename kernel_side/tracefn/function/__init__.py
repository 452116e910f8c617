"""`Function` and `ConcreteFunction`: what users hold."""

from .concrete import ConcreteFunction
from .function import Function, function

__all__ = ["ConcreteFunction", "Function", "function"]
