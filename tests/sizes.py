"""How many cases run: few in the tests, always the same, and all in `make fuzz`."""

import os

ALL = bool(os.environ.get("TRACEFN_FUZZ"))


def of(few, whole):
    """A number of cases."""
    return whole if ALL else few
