"""Each op of native code against NumPy: every dtype, special values, and the warnings."""

import contextlib
import warnings

import numpy as np
import pytest
import sizes
import tracefn
from tracefn.codegen.machine import abi
from tracefn.codegen.native.fusion import regions
from tracefn.codegen.native.fusion.lowering import lowering
from tracefn.codegen.native.scalar.emitter import castable
from tracefn.codegen.native.scalar.functions import FUNCTIONS
from tracefn.codegen.native.scalar.rules import RULES

pytestmark = pytest.mark.skipif(bool(abi.unavailable()), reason=abi.unavailable())

INTEGERS = "bhilqBHILQ"
FLOATS = "efd"
ROUNDED = {name for name, found in FUNCTIONS.items() if not found.is_exact}
UFUNCS = sorted(name for name in RULES.keys() - ROUNDED if isinstance(getattr(np, name, None), np.ufunc))
EXTREMA = {"maximum", "minimum", "fmax", "fmin"}
"""Which of 0.0 and -0.0 these take is another in NumPy's vectors than elsewhere."""


def values(char: str, shift: int = 0, times: int = 3) -> np.ndarray:
    """Numbers of a dtype that make trouble, each so many times, in another order for each `shift`."""
    dtype = np.dtype(char)
    if dtype.kind == "b":
        found = [True, False, True, True, False]
    elif dtype.kind in "iu":
        info = np.iinfo(dtype)
        found = [0, 1, 2, 3, 7, 100, info.max, info.max - 1, info.min, info.min + 1, 5, 64, 31]
        found += [-1, -2, -7] if dtype.kind == "i" else []
    else:
        info = np.finfo(dtype)
        found = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.7, 1e10, -1e10, info.max, info.tiny, info.smallest_subnormal]
        found += [np.inf, -np.inf, np.nan, 2.5, 3.5, -3.5, 100.0]
        found = [n for n in found if not np.isfinite(n) or abs(n) <= float(info.max)]
    return np.roll(np.array(found * times, dtype), shift)


def outcome(function, *args):
    """The result of a call and the texts of its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = function(*args)
    return result, sorted({str(w.message) for w in caught})


def kernel(eager, *args):
    """A function as native code, for arguments like these."""
    traced = tracefn.function(eager, jit="now", autograph=False)
    traced(*[np.ones_like(a) for a in args])
    concrete = traced.concrete_functions[0]
    if any(lowering(n) for n in concrete.graph.nodes):  # copies are NumPy's
        assert concrete.plan == "native"
    return traced


def same(eager, *args, traced=None):
    """Asserts that a function gives as native code what it gives as NumPy: every bit, and the warnings."""
    traced = traced or kernel(eager, *args)
    (wanted, warned), (got, told) = outcome(eager, *args), outcome(traced, *args)
    for a, b in zip(got, wanted, strict=True):
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        np.testing.assert_array_equal(a, b)
        if a.dtype.kind == "f":
            kept = ~np.isnan(a)
            np.testing.assert_array_equal(np.signbit(a[kept]), np.signbit(b[kept]))
    assert told == warned


@pytest.fixture(autouse=True)
def single_operations_become_kernels(monkeypatch):
    monkeypatch.setattr(regions, "MIN_NODES", 1)


@pytest.mark.parametrize("name", UFUNCS)
def test_ufuncs(name):
    ufunc = getattr(np, name)
    kinds = [c for c in "?" + INTEGERS + FLOATS if np.dtype(c).kind in RULES[name].kinds]
    every = sizes.of(3, 1) if len(kinds) > len(FLOATS) else 1  # each dtype with a third of the functions
    for char in kinds[list(UFUNCS).index(name) % every :: every]:
        args = [a.ravel() for a in np.meshgrid(*[values(char, times=1)] * ufunc.nin)]
        if name in EXTREMA:
            args = [a + a.dtype.type(0) for a in args]
        eager = lambda *args: (ufunc(*args),)  # noqa: E731
        traced = kernel(eager, *args)
        same(eager, *args, traced=traced)
        if not RULES[name].is_rounded:
            with np.errstate(all="ignore"):
                same(eager, *args, traced=traced)
            same(eager, *in_silence(ufunc, *args), traced=traced)
        assert traced.tracing_count == 1
    assert kinds


def in_silence(ufunc, *args):
    """As many elements, of which NumPy does not warn: where it warns of one, it computes all of them."""
    kept = []
    with np.errstate(all="raise", under="ignore"):
        for k in range(args[0].size):
            with contextlib.suppress(FloatingPointError):
                ufunc(*[a[k : k + 1] for a in args])
                kept.append(k)
    assert kept
    return [np.resize(a[kept], a.shape) for a in args]


@pytest.mark.parametrize("old", "?" + INTEGERS + FLOATS)
def test_casts(old):
    for new in "?" + INTEGERS + FLOATS:
        if castable(np.dtype(old), np.dtype(new)):
            same(lambda x, new=new: (x.astype(new),), values(old))


@pytest.mark.sampled(3, everywhere=True)
@pytest.mark.parametrize("left", "?bBhHiIlLefd")
@pytest.mark.parametrize("right", "?bBhHiIlLefd")
def test_mixed_dtypes_are_promoted_as_by_numpy(left, right):
    same(lambda x, y: ((x + y) * y, x < y, np.where(x > y, x, y)), values(left)[:15], values(right, 3)[:15])


@pytest.mark.parametrize("char", "bBhHiIlLefd")
def test_python_numbers_are_weak(char):
    same(lambda x: (x * 3 + 1, np.clip(x, 1, 5) + 2, x**2 + x, (x > 2) & (x != 100)), values(char))


@pytest.mark.parametrize("char", "fd")
@pytest.mark.parametrize(
    "function",
    [
        lambda x: 1 / np.where(x > 0, 1.0, 0.0),
        lambda x: 1 / np.where(x > 0, x, x.dtype.type(0)),
        lambda x: np.log((x > 0).astype(x.dtype)),
        lambda x: np.where(x > 0, x.dtype.type(3e38), x.dtype.type(1)) * x.dtype.type(1e308 if x.itemsize == 8 else 9),
        lambda x: 1 / np.sign(x),
        lambda x: 1 / np.maximum(x, 0),
        lambda x: np.log(np.clip(x, 0, 1)),
        lambda x: np.sqrt(np.where(x > 0, 2, -1).astype(x.dtype)),
        lambda x: 1 / ((x > 0) * x.dtype.type(2)),
    ],
)
def test_flags_of_values_that_are_known_while_compiling(function, char):
    x = np.array([1.0, 0.0, 2.0, -1.0] * 10, char)
    traced = tracefn.function(lambda x: function(x) + x, jit="now", autograph=False)
    traced(x + 2)
    assert traced.concrete_functions[0].plan == "native"
    assert outcome(traced, x)[1] == outcome(function, x)[1] != []
    assert outcome(traced, x + 2)[1] == outcome(function, x + 2)[1]


@pytest.mark.parametrize("char", "fd")
def test_powers_with_their_own_functions(char):
    same(lambda x: (x**2 + 1, x**0.5 + 1, x**-1 + 1, np.deg2rad(x) + 1, np.degrees(x) + 1), values(char))


@pytest.mark.parametrize("nan", [np.nan, np.float32("nan")])
@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "divide", "minimum", "equal", "less"])
def test_a_nan_leaves_the_warnings_of_the_other_operand(nan, name):
    same(lambda x: getattr(np, name)(np.sqrt(x), nan), np.array([4.0, -1.0, 2.0]))
