"""Every function and ufunc that NumPy lets arrays take over is traced, or refused with a reason and a way out."""

import numpy as np
import numpy_page
import pytest
import tracefn
from numpy.testing import overrides
from tracefn.errors import UnsupportedFunctionError

FUNCTIONS = overrides.get_overridable_numpy_array_functions()
UFUNCS = overrides.get_overridable_numpy_ufuncs()
LISTED = numpy_page.public_functions()
REFUSED = numpy_page.refused()
PAGE = numpy_page.PAGE.read_text(encoding="utf-8")


def test_all_of_them_are_listed():
    """Those that are not public are what public functions are made of."""
    inner = {f for f in FUNCTIONS | UFUNCS if f not in LISTED.values()}
    makers = {getattr(np, f.__name__, None) for f in inner} & set(LISTED.values())
    private = {f for f in inner if getattr(np, f.__name__, None) not in makers}
    private = {
        f for f in private if not str(getattr(f, "__module__", "")).startswith("numpy.polynomial")
    }  # loaded late, or not at all
    assert all(f.__name__.startswith("_") or isinstance(f, np.ufunc) for f in private), private


def test_what_is_refused_says_why_and_what_to_do():
    for name, why in REFUSED.items():
        assert f"| `{name}` | {why} |" in PAGE
        assert len(why.split()) >= 5, name


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_a_refused_function_raises_by_name(name):
    function = LISTED[name]

    @tracefn.function
    def f(x):
        return x.__array_function__(function, (), (x,), {})

    with pytest.raises(UnsupportedFunctionError, match="test_overridable.py line"):
        f(np.ones(2))


def test_most_are_traced():
    counted = [name for name, function in LISTED.items() if function in FUNCTIONS | UFUNCS]
    share = 1 - len([n for n in counted if n in REFUSED]) / len(counted)
    assert share >= 0.95, f"{share:.1%} of {len(counted)}"
