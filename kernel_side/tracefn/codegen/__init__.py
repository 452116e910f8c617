"""Programs made from graphs."""

from .checked_program import checked_program
from .locate import locate, raised_by
from .numpy_program import Program, numpy_program, program_like
from .same_program import have_one_program

__all__ = ["Program", "checked_program", "have_one_program", "locate", "numpy_program", "program_like", "raised_by"]
