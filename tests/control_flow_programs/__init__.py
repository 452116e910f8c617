"""Whole functions with control flow, as people write them."""

from . import loops, more, state

PROGRAMS = [*loops.PROGRAMS, *state.PROGRAMS, *more.PROGRAMS]
