"""`Function` and `ConcreteFunction`: the objects that users hold."""

from .concrete import ConcreteFunction
from .decorator import function
from .traced import Function

__all__ = ["ConcreteFunction", "Function", "function"]
