"""Containers that the sides of an `if` with `elif` add to, and texts that are filled in from templates in variables."""

import collections

import numpy as np
import pytest
import tracefn

CALLS = np.random.default_rng(0).normal(size=(10, 3))


class Owner:
    def __init__(self, log):
        self.log = log


def one_of_two(o, x):
    if x[0] > 0:
        o.log.append("rise")
    elif x[1] > 0:
        o.log.append("fall")


def numbers(o, x):
    if x[0] > 0:
        o.log.append(x[0])
    elif x[1] > 0:
        o.log.append(x[1])
    elif x[2] > 0:
        o.log.append(0.5)


def tuples(o, x):
    if x[0] > 0:
        if x[1] > 0:
            o.log.append(("both", 2))
    elif x[2] > 0:
        o.log.extend([("third", 3), ("again", 3)])
    else:
        o.log.append(("none", 0))


def nothing_or_text(o, x):
    if x[0] > 0:
        o.log.append(None)
    elif x[1] > 0:
        o.log.append("b")


@pytest.mark.parametrize("make", [list, collections.deque])
@pytest.mark.parametrize("function", [one_of_two, numbers, tuples, nothing_or_text])
def test_each_call_adds_as_its_branch(function, make):
    plain, traced, f = Owner(make()), Owner(make()), tracefn.function(function)
    for x in CALLS:
        f(traced, x)
        function(plain, x)
        assert repr(traced.log) == repr(plain.log)
    assert (f.tracing_count, f.fallbacks) == (1, [])


def noted(o, template, *values):
    o.log.append(template % values if values else template)


def logs(o, x):
    if x[0] < 0:
        noted(o, "reverse %.1f of %d", x[0], len(x))
    template = "%s and %r" if len(x) > 2 else "%s"
    template %= x[0], float(x[1])
    return template


def test_templates_in_variables():
    plain, traced, f = Owner([]), Owner([]), tracefn.function(logs)
    for x in CALLS:
        assert f(traced, x) == logs(plain, x)
        assert traced.log == plain.log
    assert (f.tracing_count, f.fallbacks) == (1, [])
