"""Control flow on traced values as functions: branches and loops that stay in the graph."""

from .branches import cond, switch
from .loops import fori_loop, while_loop
from .scans import map_fn, scan

__all__ = ["cond", "fori_loop", "map_fn", "scan", "switch", "while_loop"]
