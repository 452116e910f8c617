"""Writes into what may be a view or a copy of an array: they stay in the graph where no code can reach that array."""

import numpy as np
import pytest
import tracefn

X = np.arange(24.0).reshape(2, 3, 4)[:, ::-1]


class Holder:
    pass


def made(x):
    """An array of the function of which it is not known how it lies in memory."""
    return np.sort(x * 2 - 1)


def temporary(x):
    flat = made(x).reshape(2, -1)
    flat[0] = 0
    return flat


def given_up(x):
    whole = made(x)
    flat = whole.reshape(2, -1)
    whole = whole.sum()
    flat[0] = whole
    return flat


def of_a_call(x):
    def halved(d):
        d[d > 3] /= 2
        return d

    return halved(made(x).reshape(2, -1))


def returned(x):
    whole = made(x)
    flat = whole.reshape(2, -1)
    flat[0] = 0
    return whole, flat


def shown_by_a_view(x):
    whole = made(x)
    first, flat = whole[0], whole.reshape(2, -1)
    del whole
    flat[0] = 0
    return first, flat


def reshaped_twice(x):
    whole = made(x)
    first, flat = whole.reshape(-1), whole.reshape(2, -1)
    del whole
    flat[0] = 0
    return first, flat


def kept_in_a_list(x):
    wholes = [made(x)]
    flat = wholes[0].reshape(2, -1)
    flat[0] = 0
    return wholes, flat


def kept_by_an_object(x):
    holder = Holder()
    holder.parts = {"whole": (made(x), 1)}
    flat = holder.parts["whole"][0].reshape(2, -1)
    flat[0] = 0
    return holder.parts, flat


def kept_by_a_function(x):
    whole = made(x)
    flat = whole.reshape(2, -1)
    flat[0] = 0
    return (lambda: whole)(), flat


@pytest.mark.parametrize(
    ("function", "is_graph"),
    [
        *[(f, True) for f in (temporary, given_up, of_a_call)],
        *[(f, False) for f in (returned, shown_by_a_view, reshaped_twice, kept_in_a_list, kept_by_an_object)],
        (kept_by_a_function, False),
    ],
)
@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning")
def test_as_eager(function, is_graph):
    traced = tracefn.function(function, on_unsupported="eager")
    for _ in range(2):
        assert repr(traced(X)) == repr(function(X))
    assert bool(traced.concrete_functions) is is_graph
