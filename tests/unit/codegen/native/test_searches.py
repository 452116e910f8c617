"""Numbers looked for in sorted tables by kernels, against NumPy: searchsorted, digitize, interp."""

import warnings

import numpy as np
import pytest
import tracefn
from agreement import assert_alike
from native_outcomes import native
from tracefn.codegen.machine import abi
from tracefn.codegen.native.fusion.regions import KERNEL
from tracefn.codegen.native.pipeline import with_kernels

pytestmark = pytest.mark.skipif(bool(abi.unavailable()), reason=abi.unavailable())

RNG = np.random.default_rng(0)
TABLE = np.sort(np.round(RNG.normal(size=37), 1))
KEYS = np.concatenate([np.round(RNG.normal(size=(20, 50)) * 2, 1), TABLE[None, :13].repeat(4, 1)[:, :50]])
HEIGHTS = RNG.random(37)


def searches(a, v, f):
    return (
        np.searchsorted(a, v),
        np.searchsorted(a, v, side="right"),
        np.digitize(v, a),
        np.digitize(v, a, right=True),
        np.interp(v, a, f),
        np.interp(v, a, f, left=-1, right=np.nan) * 2,
    )


def agrees(traced, *args):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert_alike(traced(*args), searches(*args), strides=True)


@pytest.fixture(scope="module")
def traced():
    return native(searches, TABLE, KEYS, HEIGHTS)


def test_all_are_kernels(traced):
    nodes = traced.concrete_functions[0]._execution.native.graph.nodes
    assert not {n.op.name for n in nodes} & {"searchsorted", "digitize", "interp"}


def test_values(traced):
    agrees(traced, TABLE, KEYS, HEIGHTS)
    agrees(traced, np.linspace(-1, 1, 37), KEYS, HEIGHTS)
    agrees(traced, np.zeros(37), KEYS, HEIGHTS)


def test_unusual_numbers(traced):
    keys = KEYS.copy()
    keys[0, :5] = [np.nan, np.inf, -np.inf, -0.0, 5e-324]
    agrees(traced, TABLE, keys, HEIGHTS)
    ends = TABLE.copy()
    ends[[0, -1]] = -np.inf, np.inf
    agrees(traced, ends, keys, HEIGHTS)
    heights = HEIGHTS.copy()
    heights[[3, 4, 10]] = np.inf, np.inf, np.nan
    agrees(traced, TABLE, keys, heights)


def test_tables_that_are_not_sorted():
    def f(a, v, f):
        return np.searchsorted(a, v), np.searchsorted(a, v, side="right"), np.interp(v, a, f)

    traced = native(f, TABLE, KEYS, HEIGHTS)
    broken = TABLE.copy()
    broken[20] = np.nan
    for table in (TABLE[::-1].copy(), RNG.permutation(TABLE), broken, np.append(TABLE[:-1], np.nan)):
        assert_alike(traced(table, KEYS, HEIGHTS), f(table, KEYS, HEIGHTS), strides=True)
    g = native(lambda a, v: np.digitize(v, a), TABLE, KEYS)
    np.testing.assert_array_equal(g(TABLE[::-1].copy(), KEYS), np.digitize(KEYS, TABLE[::-1]))
    with pytest.raises(ValueError, match="monotonically"):
        g(RNG.permutation(TABLE), KEYS)


@pytest.mark.parametrize("chars", ["ld", "ff", "fd", "bB", "lL", "?i"])
def test_dtypes(chars):
    table = np.unique((TABLE * 10 + 40).astype(chars[0]))
    keys = (KEYS * 10 + 40).astype(chars[1])
    heights = np.arange(len(table), dtype=chars[1])

    def f(a, v, h):
        return np.searchsorted(a, v), np.searchsorted(a, v, "right"), np.interp(v, a, h)

    assert_alike(native(f, table, keys, heights)(table, keys, heights), f(table, keys, heights), strides=True)


@pytest.mark.parametrize("length", [1, 2, 3, 8, 17])
def test_lengths_of_tables(length):
    a, keys = np.arange(0.0, 2 * length, 2), np.arange(-2, 3.0 * length, 0.5)
    f = lambda a, v: (np.searchsorted(a, v), np.digitize(v, a), np.interp(v, a, a * a))  # noqa: E731
    assert_alike(tracefn.function(f, jit="now")(a, keys), f(a, keys), strides=True)


def test_what_is_computed_with_them():
    def f(a, v, h):
        i = np.searchsorted(a, v * 2) - 1
        return h[i] + 1, np.interp(np.abs(v), a, h).sum(), (np.digitize(v, a) == 3).any(axis=0)

    for got, wanted in zip(native(f, TABLE, KEYS, HEIGHTS)(TABLE, KEYS, HEIGHTS), f(TABLE, KEYS, HEIGHTS), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-14)


def test_open_lengths_and_layouts():
    specs = [tracefn.TensorSpec((37,), np.float64), tracefn.TensorSpec((None,), np.float64)]
    f = lambda a, v: (np.searchsorted(a, v), np.interp(v, a, a) + 1)  # noqa: E731
    traced = tracefn.function(f, jit="now", input_signature=specs)
    for v in (KEYS.ravel(), KEYS[0], KEYS[:0].ravel(), KEYS.ravel()[::-3]):
        assert_alike(traced(TABLE, v), f(TABLE, v), strides=True)
    assert traced.concrete_functions[0].plan == "native"
    traced = native(searches, TABLE, KEYS, HEIGHTS)
    agrees(traced, TABLE, np.asfortranarray(KEYS), HEIGHTS)
    agrees(traced, np.repeat(TABLE, 2)[::2], KEYS[::-1], HEIGHTS)
    agrees(native(searches, TABLE, KEYS.T, HEIGHTS), TABLE, KEYS.T, HEIGHTS)


def test_what_is_left_to_numpy():
    def kernels(f, *args):
        graph = tracefn.function(f, jit="off").get_concrete_function(*args).graph
        return [n for n in with_kernels(graph).nodes if n.op is KERNEL]

    assert not kernels(lambda a, v: np.searchsorted(a, v), np.arange(100_000.0), KEYS)
    assert not kernels(lambda a, v: np.searchsorted(a, v, sorter=np.argsort(a)), TABLE, KEYS)
    assert not kernels(lambda a, v: np.interp(v, a, a, period=3), TABLE, KEYS)
    assert not kernels(lambda a, v: np.searchsorted(a, v), TABLE.astype("F"), KEYS)


def test_many_sorted_keys_are_left_to_numpy():
    rng = np.random.default_rng(0)
    table, heights = np.sort(rng.random(50)), rng.random(50)
    keys = rng.random(8000)

    def f(x, table, heights):
        return np.interp(x, table, heights)

    traced = native(f, keys, table, heights)
    (kernel,) = traced.concrete_functions[0]._execution.native.kernels
    for x, calls in ((keys, 0), (np.sort(keys), 1), (np.sort(keys)[::-1].copy(), 1), (keys, 1)):
        assert_alike([traced(x, table, heights)], [f(x, table, heights)], strides=True)
        assert kernel._futile == calls
    for length in (4095, 4096, 4097):
        few = np.sort(keys[:length])
        assert_alike([native(f, few, table, heights)(few, table, heights)], [f(few, table, heights)], strides=True)


def test_extrema_of_what_is_found_are_another_kernel():
    rng = np.random.default_rng(0)
    table, keys = np.sort(rng.random(300)), rng.random(5000)

    def f(table, keys):
        found = np.searchsorted(table, keys) / table.size
        return found.max(), found.mean()

    traced = native(f, table, keys)
    assert len(traced.concrete_functions[0]._execution.native.kernels) == 2
    assert_alike(traced(table, keys), f(table, keys), strides=True)
