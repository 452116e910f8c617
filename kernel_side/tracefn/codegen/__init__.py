"""Programs made from graphs."""

from .checked_program import checked_program
from .locate import locate
from .numpy_program import Program, numpy_program

__all__ = ["Program", "checked_program", "locate", "numpy_program"]
