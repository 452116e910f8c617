"""Control flow on traced values as functions: branches and loops that stay in the graph."""

from .branches import cond, switch
from .loops import fori_loop, while_loop
from .scans import map_fn, scan
from .vectorized import vectorized_map

__all__ = ["cond", "fori_loop", "map_fn", "scan", "switch", "vectorized_map", "while_loop"]
