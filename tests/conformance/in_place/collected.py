"""The programs that write in place, with the arguments that they are called with."""

PROGRAMS = {}
"""By name: pytest imports the files that fill it a second time, to look for doctests."""


def called_with(*calls):
    """Adds a function to the programs, to be called with each of these tuples of arguments."""

    def add(function):
        PROGRAMS[function.__name__] = function, calls
        return function

    return add
