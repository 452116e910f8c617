"""Warnings in branches and loops that stay in the graph: each call warns as eager code does, at the same line."""

import sys
import warnings

import numpy as np
import pytest
import tracefn

ZERO = np.float64(0.0)


def known_numbers(x):
    if x.sum() > 0:
        y = np.float64(1.0) / ZERO
    else:
        y = 2.0
    return x * y


def known_numbers_in_loop(x):
    for _ in range(50):
        x = x + np.float64(1e308) * np.float64(1e308) * 0
    return x


def known_numbers_in_while(x):
    while x.sum() < 5:
        x = x + 1 + np.int8(100) + np.int8(100)
    return x


def at_own_line(x):
    if x.sum() > 0:
        warnings.warn("positive", stacklevel=1)
    return x


def at_line_of_call(x):
    if x.sum() > 0:
        warnings.warn(f"sum {x.sum()}", RuntimeWarning, stacklevel=2)
    return x


def at_line_of_call_without_branch(x):
    warnings.warn("always", stacklevel=2)
    return x


def at_line_inside(x):
    def check(total):
        if total > 0:
            warnings.warn("old", DeprecationWarning, stacklevel=2)
        return total

    for i in range(40):
        x = x + check(x.sum() + i)
        x = x + check(x.sum() - i)
    return x


def shown(function, filters):
    sys.modules[__name__].__dict__.pop("__warningregistry__", None)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter(filters)
        with np.errstate(all="warn"):
            for _ in range(3):
                for x in (np.ones(2), -np.ones(2)):
                    function(x)
    return [(str(w.message), w.category, w.filename, w.lineno) for w in found]


@pytest.mark.parametrize("filters", ["always", "default"])
@pytest.mark.parametrize("jit", ["off", "now"])
@pytest.mark.parametrize(
    "f",
    [
        known_numbers,
        known_numbers_in_loop,
        known_numbers_in_while,
        at_own_line,
        at_line_of_call,
        at_line_of_call_without_branch,
        at_line_inside,
    ],
)
def test_each_call_warns_as_eager_code_does(f, jit, filters):
    traced = tracefn.function(f, jit=jit, on_unsupported="error")
    assert shown(traced, filters) == shown(f, filters)
