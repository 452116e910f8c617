"""Whole functions with control flow, as people write them."""

from . import loops, state

PROGRAMS = [*loops.PROGRAMS, *state.PROGRAMS]
