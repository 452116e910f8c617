"""Classes that a traced function defines: their bodies find the state of each call."""

import types

import numpy as np
import pytest
import tracefn

X = np.array([1.0, 2.0])
LEVEL = 0


def reads_an_attribute(log, x):
    class Made:
        n = log.n

    return Made.n * x


def reads_in_a_default(log, x):
    class Made:
        def of(self, by=log.n):
            return by

    return Made().of() * x


def reads_in_a_class_inside(log, x):
    class Made:
        class Inner:
            held = [log.n]

    return Made.Inner.held[0] * x


def reads_a_global(log, x):
    class Made:
        level = LEVEL

    return Made.level * x


@pytest.mark.usefixtures("falls_back")
@pytest.mark.parametrize("function", [reads_an_attribute, reads_in_a_default, reads_in_a_class_inside, reads_a_global])
def test_a_class_has_the_state_of_its_call(function, monkeypatch):
    f, log = tracefn.function(function), types.SimpleNamespace(n=1)
    for n in (1, 2, 3):
        log.n = n
        monkeypatch.setitem(globals(), "LEVEL", n)
        assert f(log, X).tolist() == (n * X).tolist()


def test_a_body_of_constants_and_methods_stays_in_the_graph():
    @tracefn.function
    def f(x):
        class Made:
            """Adds."""

            by, other = 3, -1.0

            @property
            def value(self):
                return self.by * x

        return Made().value + Made.other, Made.__doc__

    for n in range(2):
        assert f(X + n)[0].tolist() == (3 * (X + n) - 1).tolist() and f(X + n)[1] == "Adds."
    assert len(f.concrete_functions) == 1 and not f.fallbacks
