"""The textbook programs with the arguments that they are called with, and arrays for these."""

import numpy as np

rng = np.random.default_rng(0)
PROGRAMS = {}
"""By name: pytest imports the files that fill it a second time, to look for doctests."""


def called_with(*calls):
    """Adds a function to the programs, to be called with each of these tuples of arguments."""

    def add(function):
        PROGRAMS[function.__name__] = function, calls
        return function

    return add


A = rng.random((6, 6))
B = rng.random((6, 5))
V = rng.random(20)
I = rng.integers(0, 10, 30)  # noqa: E741
