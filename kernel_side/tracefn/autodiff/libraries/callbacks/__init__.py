"""The rules of SciPy's functions that call a function of the user's back."""

from . import integrals, optima, roots, trajectories
from .optima import with_others
from .runs import OWN_RULE, OfValues

RULES = {
    f"scipy.{path}": OfValues(rule)
    for path, rule in {**roots.RULES, **optima.RULES, **integrals.RULES, **trajectories.RULES}.items()
}
"""The rules by the names under which users reach the functions."""

__all__ = ["FOUND", "OWN_RULE", "RULES", "OfValues", "with_others"]

FOUND = {**roots.FOUND, **optima.FOUND, **trajectories.FOUND}
"""The attributes of results that have derivatives. Of two, the cotangent of the result has both, one after another."""
