"""Names in rewritten functions, by which they are recognised."""

from __future__ import annotations

HELPERS = "tracefn_autograph"
"""The name under which rewritten functions reach the operators."""

GLOBALS = "tracefn_globals"
"""Under this name a function that rewritten code has defined, and that a library calls on real values, has the globals
of the code as it is written."""

REWRITTEN = "tracefn_function"
"""The name of rewritten functions while they are compiled. Names of their parts begin with it; functions that are
defined in them have it among their constants."""

PART = "tracefn_part"
"""The name of an argument that operands and branches have where they become functions, and no lambda of the user's."""
