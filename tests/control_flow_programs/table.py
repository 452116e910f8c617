"""How a program joins its table: with the calls that are made, and the number of traces that they take."""


def table():
    """(the programs, the decorator that adds one)"""
    programs = []

    def prog(*calls, traces=1):
        def note(function):
            programs.append((function, calls, traces))
            return function

        return note

    return programs, prog
