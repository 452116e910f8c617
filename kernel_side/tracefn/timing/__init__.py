"""Timing: what a first call costs, and eager code against its graph."""

from tracefn.timing.comparing import compare
from tracefn.timing.comparison import Comparison
from tracefn.timing.measuring import measure
from tracefn.timing.sampling import Quartiles

__all__ = ["Comparison", "Quartiles", "compare", "measure"]
