"""Sums, means and extrema of elements and rows that a mask picks, against NumPy."""

import numpy as np
import pytest
import roundings
import tracefn
from native_outcomes import native, numbers, taken_in_turns, with_warnings
from tracefn.codegen.machine import abi
from tracefn.codegen.native.pipeline import with_kernels

pytestmark = pytest.mark.skipif(bool(abi.unavailable()), reason=abi.unavailable())

RNG = np.random.default_rng(0)
X, ROWS, ALL = RNG.normal(size=(400, 3)), RNG.random(400) < 0.4, RNG.random((400, 3)) < 0.4


def names_of(f, *args):
    return [n.op.name for n in with_kernels(tracefn.function(f, jit="off").get_concrete_function(*args).graph).nodes]


FUNCTIONS = {
    "elements": lambda x, m, a: (x[a].sum(), x[a].mean(), np.sum(x[a]), np.mean(x[a], axis=0)),
    "rows": lambda x, m, a: (x[m].sum(axis=0), x[m].mean(axis=0), x[m].sum(), x[m].mean()),
    "computed": lambda x, m, a: ((x[m] ** 2 + 1).sum(axis=0), (x[a] * 2 - x[a] / 3).mean(), np.exp(x[m]).mean(axis=0)),
    "extrema": lambda x, m, a: (x[a].max(), np.min(x[a]), x[m].max(axis=0), x[m].min(), (x[m] * 2).min(axis=0)),
    "tests": lambda x, m, a: ((x[a] > 2).any(), (x[a] > -9).all(), np.count_nonzero(x[m] > 0), (x[m] > 1).any(axis=0)),
    "of two": lambda x, m, a: ((x[m] * (x + 1)[m]).sum(), (x[a] * np.abs(x)[a]).sum(axis=0)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_values(name):
    f = FUNCTIONS[name]
    roundings.assert_alike(native(f, X, ROWS, ALL)(X, ROWS, ALL), f(X, ROWS, ALL))
    assert "getitem_mask" not in names_of(f, X, ROWS, ALL)


@pytest.mark.sampled(3, everywhere=True)
@pytest.mark.parametrize(("char", "shape"), taken_in_turns("?fd", [(400, 3), (40, 30), (20, 5, 6)]))
def test_dtypes(char, shape):
    f = lambda x, m, a: (x[m].sum(axis=0), x[a].sum(), x[m].mean(axis=0), x[a].mean())  # noqa: E731
    x = numbers(char, shape)
    m, a = RNG.random(shape[0]) < 0.5, RNG.random(shape) < 0.5
    roundings.assert_alike(native(f, x, m, a)(x, m, a), f(x, m, a))


def test_the_number_of_picked_elements_is_known_elsewhere():
    def rows(x, m):
        picked = x[m]
        return picked.sum(axis=0) * 2 + 1, x * (picked.shape[0] / 3)

    def written(x, m):
        z, picked = x * 2 + 1, x[m]
        z[m] = picked * 2
        return z * (picked.shape[0] / 3)

    for f in (rows, written):
        roundings.assert_alike(native(f, X, ROWS)(X, ROWS), f(X, ROWS))


def test_masks_of_several_axes():
    f = lambda x, m: (x[m].sum(axis=0), x[m].mean(axis=0), x[m].sum())  # noqa: E731
    x, m = RNG.normal(size=(20, 30, 7)), RNG.random((20, 30)) < 0.5
    roundings.assert_alike(native(f, x, m)(x, m), f(x, m))


@pytest.mark.parametrize("name", ["elements", "rows"])
def test_nothing_is_picked(name):
    f = FUNCTIONS[name]
    traced = native(f, X, ROWS, ALL)
    none, nowhere = np.zeros_like(ROWS), np.zeros_like(ALL)
    (got, warned), (wanted, by_numpy) = with_warnings(traced, X, none, nowhere), with_warnings(f, X, none, nowhere)
    roundings.assert_alike(got, wanted)
    assert {text for text, *_ in warned} == {text for text, *_ in by_numpy} != set()
    with np.errstate(all="ignore"):
        roundings.assert_alike(with_warnings(traced, X, none, nowhere)[0], wanted)


@pytest.mark.parametrize("char", "bHd")
def test_dtypes_of_extrema(char):
    f = lambda x, a, b: (x[a].max(), x[a].min(), x[b].max(axis=0), x[b].min(axis=0))  # noqa: E731
    x, a = numbers(char, (40, 30)), RNG.random((40, 30)) < 0.5
    traced = native(f, x, a, a[:, 0])
    roundings.assert_alike(traced(x, a, a[:, 0]), f(x, a, a[:, 0]))
    lowest, highest = (-np.inf, np.inf) if char in "fd" else (np.iinfo(char).min, np.iinfo(char).max)
    for value in (lowest, highest, *([np.nan] if char in "fd" else [])):
        x[3] = value
        roundings.assert_alike(traced(x, a, a[:, 0]), f(x, a, a[:, 0]))
        roundings.assert_alike(traced(np.full_like(x, value), a, a[:, 0]), f(np.full_like(x, value), a, a[:, 0]))


@pytest.mark.parametrize("name", ["max", "min"])
def test_extrema_of_nothing_raise(name):
    f = lambda x, a: getattr(x[a], name)()  # noqa: E731
    traced = native(f, X, ALL)
    with pytest.raises(ValueError, match=f"zero-size array to reduction operation {name}imum which has no identity"):
        traced(X, ~ALL & ALL)
    g = lambda x, a: ((x[a] > 0).any(), (x[a] > 0).all(), np.count_nonzero(x[a]), x[a].max(initial=3))  # noqa: E731
    roundings.assert_alike(tracefn.function(g, jit="now")(X, ~ALL & ALL), g(X, ~ALL & ALL))


def test_elements_that_are_not_picked_do_not_count():
    x = np.where(ALL, X, np.nan)
    x[~ROWS & ~ALL[:, 0], 0] = np.inf
    f = lambda x, m, a: (x[a].sum(), x[a].mean(), (1 / x[a]).sum(), np.nan_to_num(x)[m].sum(axis=0))  # noqa: E731
    traced = native(f, x, ROWS, ALL)
    (got, warned), (wanted, none) = with_warnings(traced, x, ROWS, ALL), with_warnings(f, x, ROWS, ALL)
    roundings.assert_alike(got, wanted)
    assert warned == none == []


def test_what_is_left_to_numpy():
    for f in (
        lambda x, m, a: x[m].sum(axis=1),
        lambda x, m, a: x[m].argmax(axis=0),
        lambda x, m, a: x[m].std(axis=0),
        lambda x, m, a: (a[m].max(), a[a].min(axis=0)),
        lambda x, m, a: (x[m] * 2, (x[m] * 2).sum()),
        lambda x, m, a: x[m].mean(axis=0, keepdims=True),
        lambda x, m, a: (x[m][:2] * 1).sum(),
        lambda x, m, a: (x[a] * a[a]).sum(),
    ):
        roundings.assert_alike(tracefn.function(f, jit="now")(X, ROWS, ALL), f(X, ROWS, ALL))


def test_masks_that_are_computed_views_and_layouts():
    def f(x, labels):
        return x[labels == 1].mean(axis=0), x[labels[::-1] == 0].sum(axis=0), x[x > 0].mean(), x.T[x.T < 0].sum()

    labels = RNG.integers(0, 3, 400)
    traced = native(f, X, labels)
    for x, at in ((X, labels), (np.asfortranarray(X), labels), (X[::-1], np.repeat(labels, 2)[::2])):
        roundings.assert_alike(traced(x, at), f(x, at))


def test_large_arrays():
    x, m = RNG.normal(size=(300_000, 2)), RNG.random(300_000) < 0.3
    f = lambda x, m: (x[m].mean(axis=0), x[m].sum(), x[x > 1].mean())  # noqa: E731
    roundings.assert_alike(native(f, x, m)(x, m), f(x, m))
