"""Programs made from graphs."""

from .numpy_program import Program, numpy_program

__all__ = ["Program", "numpy_program"]
