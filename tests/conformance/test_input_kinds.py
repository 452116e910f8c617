"""Every kind of input, eager against traced: value, dtype, shape, type, exceptions, warnings, the argument afterwards.

Each program runs twice on each, the second time from the cache. Warnings before an exception are not compared: a
function that raises while it is traced has not run.
"""

import warnings

import numpy as np
import pytest
import tracefn
from agreement import assert_alike
from roundings import ON_MACHINE_CODE
from tracefn.errors import UnsupportedArgumentError, UnsupportedFunctionError

TEXTS = ["b", "", "äa", "a b", "b", "zz"]
DTYPES = {
    "bool": np.array([True, False, True, True, False, False]),
    **{f"int{n}": np.array([3, -1, 0, 100, 5, -7], f"i{n // 8}") for n in (8, 16, 32, 64)},
    **{f"uint{n}": np.array([3, 1, 0, 200, 5, 7], f"u{n // 8}") for n in (8, 16, 32, 64)},
    **{f"float{n}": np.array([1.5, -0.0, np.nan, np.inf, -2.0, 6e4], f"f{n // 8}") for n in (16, 32, 64)},
    "longdouble": np.array([1.5, -0.0, np.nan, np.inf, -2.0, 6e4], np.longdouble),
    **{f"complex{n}": np.array([1 + 2j, -0.0, np.nan, 3j, -2, 1e3], f"c{n // 8}") for n in (64, 128)},
    "datetime64": np.array(["2024-02-29", "NaT", "1969-12-31", "2024-02-29", "2100-01-01", "0001-01-01"], "M8[D]"),
    "timedelta64": np.array([5, 0, -3, "NaT", 7, 86400], "m8[s]"),
    "str": np.array(TEXTS),
    "bytes": np.array([b"b", b"", b"c", b"a b", b"b", b"zz"]),
    "structured": np.array([(3, 1.5), (-1, np.inf), (0, 0), (3, 1.5), (5, -2), (-7, 6)], [("n", "i4"), ("x", "f8")]),
    "StringDType": np.array(TEXTS, np.dtypes.StringDType()),
}

if ON_MACHINE_CODE:  # which is there for numbers alone
    DTYPES = {name: x for name, x in DTYPES.items() if x.dtype.kind in "biufc"}

#: NumPy has no such arrays; an element of a StringDType array is a Python str, one of a structured array is refused.
NO_SUCH_ARRAY = {("StringDType", layout) for layout in ("big-endian", "unaligned", "scalar")} | {
    ("structured", "scalar")
}


def unaligned(x):
    memory = np.zeros(x.nbytes + 1, np.uint8)[1:].view(x.dtype).reshape(x.shape)
    memory[...] = x
    return memory


def read_only(x):
    x = x.copy()
    x.flags.writeable = False
    return x


LAYOUTS = {
    "C": lambda x: x.reshape(2, 3).copy(),
    "F": lambda x: np.asfortranarray(x.reshape(2, 3)),
    "strided": lambda x: np.repeat(x, 2).reshape(2, 6)[:, ::2],
    "negative strides": lambda x: x.reshape(2, 3).copy()[::-1, ::-1],
    "transposed": lambda x: x.reshape(3, 2).copy().T,
    "broadcast": lambda x: np.broadcast_to(x[:3], (2, 3)),
    "1-d": lambda x: x.copy(),
    "empty": lambda x: x.reshape(2, 3)[:, :0].copy(),
    "0-d": lambda x: x[:1].reshape(()).copy(),
    "scalar": lambda x: x[0],
    "read-only": lambda x: read_only(x.reshape(2, 3)),
    "big-endian": lambda x: x.reshape(2, 3).astype(x.dtype.newbyteorder(">")),
    "unaligned": lambda x: unaligned(x.reshape(2, 3)),
}


def last_first(x):
    x[0] = x[-1]
    return x


def shifted(x):
    x[..., 1:] = x[..., :-1]


def masked(x):
    x[x == x[..., :1]] = x[..., -1:].copy().reshape(-1)[:1]


def transposed(x):
    x.T[...] = x.T[::-1]


def doubled(x):
    x += x


def scaled(x):
    x[..., :1] *= 3


def sorted_in_place(x):
    x.sort(axis=-1)


def copied_and_filled(x):
    np.copyto(x, x[..., ::-1].copy())
    x.fill(x.ravel()[0])


PROGRAMS = {
    "add": lambda x: (x + x, x + x.ravel()[:1]),
    "subtract": lambda x: (x - x, x[..., 1:] - x[..., :-1]),
    "weak numbers": lambda x: (x * 2, x + 1, 3 - x),
    "weak floats": lambda x: (x * 2.5, x / 4),
    "divide": lambda x: x / x,
    "divide by an integer": lambda x: (x // 3, x % 3),
    "divide integers": lambda x: (x // x, x % x),
    "compare": lambda x: (x == x, x != x.ravel()[:1], x < x, x >= x.ravel()[-1:]),
    "extremes": lambda x: (np.maximum(x, x[..., ::-1]), x.min(), x.max(axis=-1), x.argmax()),
    "sum": lambda x: (x.sum(), x.sum(axis=0), x.cumsum()),
    "mean": lambda x: (np.mean(x), np.std(x, axis=-1)),
    "truth": lambda x: (np.all(x), x.any(), x.astype(bool), np.count_nonzero(x), np.nonzero(x)),
    "order": lambda x: (np.sort(x, axis=-1), np.argsort(x, axis=None, kind="stable"), np.unique(x)),
    "shapes": lambda x: (x.T, x.reshape(-1), x[..., None], np.flip(x), x.ravel("F"), np.concatenate([x, x], axis=-1)),
    "items": lambda x: (x[..., ::-1], x[..., -1:], x[x == x], np.take(x, [0, -1]), np.where(x == x, x, x), x.copy()),
    "first": lambda x: x[0],
    "roots": lambda x: (np.sqrt(x), np.exp(x)),
    "signs": lambda x: (np.abs(x), np.sign(x), -x),
    "kinds of numbers": lambda x: (np.isnan(x), np.isfinite(x)),
    "casts": lambda x: (x.astype(np.float32), x.astype(np.int16), x.astype("c16")),
    "own dtype": lambda x: (x.astype(x.dtype), np.zeros_like(x), np.full_like(x, x.ravel()[0])),
    "text": lambda x: x.astype("U8"),
    "upper": lambda x: (np.strings.upper(x), np.strings.str_len(x), np.strings.find(x, "b")),
    **{
        f.__name__: f
        for f in (last_first, shifted, masked, transposed, doubled, scaled, sorted_in_place, copied_and_filled)
    },
}

#: What tracefn refuses by name: elements that are Python objects. A NumPy text is a Python str, which is not traced.
REFUSED = {
    ("StringDType", name) for name in ("first", "last_first", "own dtype", "copied_and_filled", "extremes", "sum")
}

#: Two things are wrong: what is added does not fit, and the array may not be written into. NumPy sees the latter first.
TWICE_WRONG = {
    ("bool", "scaled"),
    *[(dtype, program) for dtype in ("datetime64", "structured") for program in ("doubled", "scaled")],
}


def observed(function, x):
    """What a call gives, raises and warns of."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        try:
            value = function(x)
        except Exception as caught:
            return None, type(caught), None
    if ON_MACHINE_CODE:  # whose warnings name the user's line where NumPy's name one of its own
        return value, None, [(w.category, str(w.message)) for w in found]
    return value, None, [(w.category, str(w.message), w.lineno) for w in found if w.filename == __file__]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_layout(dtype, program):
    """One traced function for all layouts: those of one shape and dtype share a trace."""
    eager, failures = PROGRAMS[program], []
    traced = tracefn.function(eager)
    for layout, lay_out in LAYOUTS.items():
        if (dtype, layout) in NO_SUCH_ARRAY:
            continue
        theirs = lay_out(DTYPES[dtype])
        expected = observed(eager, theirs)
        if (dtype, program) in TWICE_WRONG and expected[1] is ValueError:
            continue
        for call in ("first", "second"):
            mine = lay_out(DTYPES[dtype])
            found = observed(traced, mine)
            may_be_refused = (dtype, program) in REFUSED or (layout == "scalar" and dtype in ("str", "bytes"))
            if found[1] is UnsupportedFunctionError and may_be_refused:
                continue
            try:
                assert found[1:] == expected[1:]
                assert_alike(found[0], expected[0])
                assert_alike(mine, theirs)
            except AssertionError as difference:
                failures.append(f"{layout}, {call} call: {' '.join(str(difference).split())[:300]}")
                break
    assert not failures, "\n".join(failures)


@pytest.mark.parametrize(
    ("x", "name"),
    [
        (np.array([1, None], object), "object"),
        (np.zeros(2, [("a", float), ("b", object)]), "'b'"),
        (np.zeros(2, "V3"), "raw bytes"),
        (np.rec.array([(1.0, 2)], dtype=[("a", float), ("b", int)]), "recarray"),
        (np.zeros(1, object), "object"),
    ],
)
def test_what_is_refused_is_named(x, name):
    @tracefn.function
    def f(x):
        return x

    with pytest.raises(UnsupportedArgumentError, match=name) as raised:
        f(x)
    assert "`x`" in str(raised.value)


def test_matrices_are_refused_by_name():
    with pytest.warns(PendingDeprecationWarning):
        x = np.matrix([[1.0]])
    with pytest.raises(UnsupportedArgumentError, match="matrix"):
        tracefn.function(lambda x: x)(x)


def test_masked_arrays_are_objects_of_a_library():
    def eager(x):
        return x.sum(), np.sqrt(x) * 2, x.mask, x.filled(0)

    f, x = tracefn.function(eager), np.ma.array([1.0, 2.0, 3.0], mask=[False, True, False])
    for given in (x, x + 1, x):
        for mine, theirs in zip(f(given), eager(given), strict=True):
            assert type(mine) is type(theirs) and repr(mine) == repr(theirs)
    assert f.tracing_count == 1
