"""Writes by arrays of indices as machine code, against NumPy: what they change, in which order, and what raises."""

import warnings

import numpy as np
import pytest
import tracefn
from loop_outcomes import equal, is_native, outcome
from tracefn.codegen.machine import abi

pytestmark = pytest.mark.skipif(bool(abi.unavailable()), reason=abi.unavailable())

RNG = np.random.default_rng(0)
N, LENGTH = 6000, 50
INDEX = RNG.integers(-LENGTH, LENGTH, N)
VALUES = RNG.random(N)
ROWS, COLUMNS = RNG.integers(-20, 20, N), RNG.integers(0, 30, N)


def held_against(f, *args, native=True):
    """The traced function, after it did what NumPy does."""
    traced = tracefn.function(f, jit="now")
    agrees(traced, f, *args)
    assert is_native(traced.concrete_functions[0]) is native, traced.concrete_functions[0].native_program
    return traced


def agrees(traced, f, *args):
    wanted, found = outcome(f, args, __file__), outcome(traced, args, __file__)
    assert all(equal(a, b) for a, b in zip(wanted[0::2], found[0::2], strict=True)), (wanted, found)
    assert wanted[1] == found[1]


def put_items(x, i, v):
    x[i] = v
    return x


def add_to_items(x, i, v):
    x[i] += v
    return x


def add_at(x, i, v):
    np.add.at(x, i, v)
    return x


def on_copies(*writes):
    """The function that gives a copy of an array for each write, after that."""

    def f(x, *args):
        found = []
        for write in writes:
            copied = x.copy()
            write(copied, *args)
            found.append(copied)
        return tuple(found)

    return f


@pytest.mark.parametrize("char", "?bLfd")
def test_dtypes(char):
    x = (RNG.random(LENGTH) * 100).astype(char)
    held_against(on_copies(put_items, add_to_items, add_at), x, INDEX, (VALUES * 200).astype(char))


@pytest.mark.parametrize("char", "FDe")
def test_dtypes_that_stay_numpys(char):
    traced = tracefn.function(put_items, jit="now")
    agrees(traced, put_items, np.zeros(LENGTH, char), INDEX, VALUES.astype(char))


def test_dtypes_of_indices():
    def f(x, *indices):
        for i in indices:
            x[i] = i
            np.add.at(x, i, 0.1)
        return x

    held_against(f, np.zeros(LENGTH), *[(INDEX if c.islower() else INDEX % LENGTH).astype(c) for c in "bHlL"])


def updates(names):
    ufuncs = [getattr(np, name) for name in names.split()]
    return on_copies(*[lambda x, i, v, ufunc=ufunc: ufunc.at(x, i, v) for ufunc in ufuncs])


def test_ufuncs_of_floats():
    f, x = updates("add subtract multiply maximum minimum fmax fmin"), RNG.random(LENGTH)
    traced = held_against(f, x, INDEX, VALUES + 0.5)
    v = VALUES + 0.5
    v[5::7] = np.nan
    agrees(traced, f, x, INDEX, v)


def test_ufuncs_of_integers_wrap_around():
    f = updates("add subtract multiply maximum minimum bitwise_and bitwise_or bitwise_xor")
    held_against(f, RNG.integers(-100, 100, LENGTH).astype(np.int8), INDEX, (VALUES * 256 - 128).astype(np.int8))
    g = updates("add multiply maximum")
    held_against(g, RNG.integers(0, 1 << 63, LENGTH, np.uint64), INDEX, RNG.integers(0, 1 << 63, N, np.uint64))


def test_values_of_other_dtypes():
    given = [0.1, np.float64(0.1), VALUES, 3]
    f = on_copies(*[lambda x, i, v=v, put=put: put(x, i, v) for v in given for put in (put_items, add_at)])
    held_against(f, np.zeros(LENGTH, np.float32), INDEX)
    f = on_copies(*[lambda x, i, v=v, put=put: put(x, i, v) for v in (7, INDEX) for put in (put_items, add_at)])
    held_against(f, np.zeros(LENGTH, np.int32), INDEX)
    agrees(tracefn.function(add_at, jit="now"), add_at, np.zeros(LENGTH, int), INDEX, 1.5)
    agrees(tracefn.function(put_items, jit="now"), put_items, np.zeros(LENGTH, int), INDEX, VALUES * 1e12)


def test_the_later_of_two_elements_stays():
    i = np.zeros(N, int)
    held_against(put_items, np.zeros(3), i, VALUES)
    held_against(put_items, np.zeros((3, 4)), i, RNG.random((N, 4)))


def test_numpys_order_where_indices_lie_in_another():
    i, j, v = np.zeros((60, 40), int), np.zeros((60, 40), int), RNG.random((60, 40))
    changes = {
        "columns first": lambda a: np.asfortranarray(a),
        "backwards": lambda a: a.copy()[::-1, ::-1],
        "every other": lambda a: np.repeat(np.repeat(a, 2, 0), 2, 1)[::2, ::2],
        "a value backwards": lambda a: a if a is not v else a[::-1],
    }

    def f(x, i, j, v):
        x[i, j] = v
        np.add.at(x, (i, j), v)
        return x

    traced = held_against(f, np.zeros((3, 4)), i, j, v)
    for change in changes.values():
        agrees(traced, f, np.zeros((3, 4)), *map(change, (i, j, v)))


def test_views_of_indices_and_values_made_in_the_function():
    def f(x, i, v):
        x[i[::2]] = v[::2]
        x[i[::-1], 0] = v[::-1, :1]
        np.add.at(x, i[100:200], v[:100])
        return x

    agrees(tracefn.function(f, jit="now"), f, np.zeros((LENGTH, 3)), INDEX, RNG.random((N, 3)))


FORMS = {
    "two indices": lambda x, i, j, v: put_items(x, (i, j), v),
    "two indices of a cube": lambda x, i, j, v: put_items(x.reshape(5, 4, 30), (slice(None), i % 4, j), v),
    "rows": lambda x, i, j, v: put_items(x, i[:99], v[:30]),
    "columns": lambda x, i, j, v: put_items(x, (slice(None), j[:50]), v[:50]),
    "columns by rows": lambda x, i, j, v: put_items(x, (i[:40, None], j[:50]), v[:50]),
    "an index and a number": lambda x, i, j, v: put_items(x, (i, -3), v),
    "a number and an index": lambda x, i, j, v: put_items(x, (2, j), v),
    "an index and a slice": lambda x, i, j, v: put_items(x, (i[:99], slice(3, 20, 2)), v[:9]),
    "apart": lambda x, i, j, v: put_items(x.reshape(10, 4, 15), (i[:300] % 9, slice(None), j[:300] % 15), v[:4]),
    "a part of it": lambda x, i, j, v: put_items(x[2:15, 3], i % 13, v),
    "of its transpose": lambda x, i, j, v: put_items(x.T, (j, i), v),
    "added at two": lambda x, i, j, v: add_at(x, (i, j), v),
    "added at rows": lambda x, i, j, v: add_at(x, i[:99], v[:30]),
    "added at columns": lambda x, i, j, v: add_at(x, (slice(None), j[:50]), v[:50]),
    "added at a row": lambda x, i, j, v: add_at(x[3], j, v),
    "added": lambda x, i, j, v: add_to_items(x, (i, j), v),
    "put": lambda x, i, j, v: np.put(x, i * 30 + j, v),
    "put a number": lambda x, i, j, v: np.put(x, i.reshape(60, -1), 2.5),
    "put along rows": lambda x, i, j, v: np.put_along_axis(x, j[:800].reshape(20, 40), v[:800].reshape(20, 40), axis=1),
    "put along columns": lambda x, i, j, v: np.put_along_axis(x, i[:1200].reshape(40, 30), 1.5, axis=0),
}


def test_forms_of_indices():
    held_against(on_copies(*FORMS.values()), RNG.random((20, 30)), ROWS, COLUMNS, VALUES)


@pytest.mark.parametrize("f", [put_items, add_to_items, add_at, lambda x, i, v: np.put(x, i, v)])
def test_wrong_indices_raise_at_the_users_line(f):
    traced = held_against(f, np.zeros(LENGTH), INDEX, VALUES)
    for wrong in (LENGTH, -LENGTH - 1, 1 << 62, -(1 << 63)):
        i = INDEX.copy()
        i[N // 2] = wrong
        agrees(traced, f, np.zeros(LENGTH), i, VALUES)
        agrees(traced, f, np.zeros(LENGTH), INDEX, VALUES)


@pytest.mark.parametrize("f", [put_items, add_to_items, add_at])
def test_open_lengths(f):
    traced = tracefn.function(f, jit="now", reduce_retracing=True)
    for size, length in ((3000, 10), (4000, 11), (5000, 12), (0, 13), (1, 1), (0, 0), (20_000, 1)):
        i = RNG.integers(-length, length, size) if length else np.zeros(0, int)
        agrees(traced, f, np.zeros(length), i, RNG.random(size))
    assert len(traced.concrete_functions) < 4
    agrees(traced, f, np.zeros(3), np.array([0, 3] * 1000), np.ones(2000))
    agrees(traced, f, np.zeros(0), np.array([0] * 1000), np.ones(1000))
    agrees(traced, f, np.zeros(3), np.zeros(1000, int), np.ones(999))
    agrees(traced, f, np.zeros(3), np.zeros(1000, int), np.ones(1))


def test_warnings_and_errors_of_sums():
    def f(x, i, v):
        np.add.at(x, i, v)
        return x * 0.5

    traced = held_against(f, np.zeros(LENGTH), INDEX, VALUES)
    for v in (VALUES * 1.7e308, np.where(INDEX > 0, np.inf, -np.inf), np.full(N, np.nan)):
        agrees(traced, f, np.zeros(LENGTH), INDEX, v)
    with np.errstate(over="raise"):
        agrees(traced, f, np.zeros(LENGTH), INDEX, VALUES * 1.7e308)


def test_memory_that_is_not_contiguous():
    x = np.zeros((LENGTH, 2))
    for f in (put_items, add_at):
        traced = held_against(f, np.zeros(LENGTH), INDEX, VALUES)
        for a in (x[:, 0], x[::-1, 1], np.zeros(2 * LENGTH)[::2]):
            wanted, found = a.copy(), a
            f(wanted, INDEX[::-1], VALUES[::-1])
            traced(found, INDEX[::-1], VALUES[::-1])
            np.testing.assert_array_equal(wanted, found)


def test_arrays_that_may_not_be_written_into():
    traced = held_against(put_items, np.zeros(LENGTH), INDEX, VALUES)
    x = np.zeros(LENGTH)
    x.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        traced(x, INDEX, VALUES)
    assert not x.any()


def test_what_is_written_is_not_read_again():
    def f(x, p, v):
        y = np.concatenate([x, x])
        x[p] = x[::-1]
        x[p] = x[p[::-1]] * 2
        np.add.at(x, p, x)
        x[p] = (x * 2 + v)[p]
        p[p] = p[::-1]
        return x, y, p

    p = RNG.permutation(3000)
    agrees(tracefn.function(f, jit="now"), f, RNG.random(3000), p, RNG.random(3000))


def test_the_caller_keeps_what_is_not_written():
    def f(x, i, v):
        y = x.copy()
        y[i] = v
        z = np.zeros(x.shape)
        np.add.at(z, i, v * 2)
        return x + y, z / 2, y

    held_against(f, RNG.random(LENGTH), INDEX, VALUES)


def test_large_arrays_are_written_into_where_they_are():
    x = np.zeros(300_000)
    traced = held_against(put_items, x, INDEX[:2000], VALUES[:2000])
    assert not any(k._loops.made for k in traced.concrete_functions[0]._execution.native.kernels)


@pytest.mark.parametrize("is_open", [False, True])
def test_no_large_array_is_copied_for_few_elements(is_open):
    def f(x, i, v):
        found = np.zeros(300_000)
        np.add.at(found, i, v)
        np.add.at(x, i, v)
        x[i[::2]] = v[::2]
        return found

    x = np.zeros(LENGTH * 1000)
    specs = [tracefn.TensorSpec((None,), d) for d in (np.float64, np.int64, np.float64)] if is_open else None
    traced = tracefn.function(f, jit="now", input_signature=specs)
    agrees(traced, f, x, INDEX, VALUES)
    made = [n for k in traced.concrete_functions[0]._execution.native.kernels for n in k._loops.made]
    assert all((n.type.nbytes or 0) <= VALUES.nbytes for n in made)
    assert not any(any(k._loops.kept) for k in traced.concrete_functions[0]._execution.native.kernels)


@pytest.mark.parametrize("is_open", [False, True])
def test_writes_are_taken_back_before_numpy_does_them(is_open):
    def f(x, y, i, j, v):
        np.add.at(x, i, v)
        x[i] = v * 2
        np.multiply.at(y, (j, i), v)
        np.add.at(x, j, v)
        y[i, j] = v
        y[j] = v[:3]
        np.add.at(y, j[:600], v[:3])
        return x

    sides = LENGTH * 1000, (LENGTH * 400, 3)
    x, y = (RNG.random(n) for n in sides)
    i, j, v = INDEX % 3, INDEX, VALUES
    specs = [tracefn.TensorSpec(s, np.float64) for s in ((None,), (None, 3))]
    specs += [tracefn.TensorSpec((None,), d) for d in (np.int64, np.int64, np.float64)]
    traced = tracefn.function(f, jit="now", input_signature=specs if is_open else None)
    agrees(traced, f, x, y, i, j, v)
    kernels = [k._loops for k in traced.concrete_functions[0]._execution.native.kernels]
    assert not any(any(k.kept) for k in kernels)
    assert is_open or [len(k.written) for k in kernels] == [2]
    for changed in (v * 1e200, np.where(v > 0.5, 1e308, v), np.where(v > 0.5, np.nan, v), np.where(v > 0.5, np.inf, 0)):
        agrees(traced, f, x, y, i, j, changed)
    for wrong in (i, j):
        kept = wrong[100], wrong[5000]
        wrong = wrong.copy()
        wrong[5000] = sides[0]
        agrees(traced, f, x, y, *((wrong, j) if kept[0] == i[100] else (i, wrong)), v)
    agrees(traced, f, x, y, i, np.where(np.arange(N) == 100, sides[1][0], j), v)
    agrees(traced, f, x, y, i, j, v)


def test_in_loops():
    def f(x, t, index):
        for k in range(index.shape[0]):
            i = index[k]
            x[i] = k
            np.add.at(t, i, x[i] * 0.5)
            t[i] += t[i[::-1]]
            if k % 3 == 0:
                x[i % 5] -= t[i].max()
        return x, t

    index = RNG.integers(-LENGTH, LENGTH, (40, 16))
    traced = held_against(f, np.zeros(LENGTH), np.ones(LENGTH), index)
    index[30, 3] = LENGTH
    agrees(traced, f, np.zeros(LENGTH), np.ones(LENGTH), index)


def counts(i, v):
    found = np.bincount(i, minlength=LENGTH)
    return found, np.bincount(i, v, LENGTH), np.bincount(i, weights=v * v, minlength=7 * LENGTH)[: found.size] / 2


@pytest.mark.parametrize("chars", ["ld", "Bi", "b?"])
def test_counts(chars):
    i, v = (INDEX % LENGTH).astype(chars[0]), (VALUES * 9).astype(chars[1:])
    traced = held_against(counts, i, v)
    agrees(traced, counts, i[::-1], v[::-2].repeat(2))
    i[7] = LENGTH + 20
    agrees(traced, counts, i, v)
    agrees(traced, counts, i.reshape(60, -1), v)
    if chars[0] in "lib":
        i[9] = -1
        agrees(traced, counts, i, v)


def test_counts_of_open_lengths():
    specs = [tracefn.TensorSpec((None,), np.int64), tracefn.TensorSpec((None,), np.float64)]
    traced = tracefn.function(counts, jit="now", input_signature=specs)
    for n in (0, 1, 5000, N):
        agrees(traced, counts, INDEX[:n] % LENGTH, VALUES[:n])
    agrees(traced, counts, INDEX % LENGTH, VALUES[:-1])
    assert traced.concrete_functions[0].plan == "native"


def test_counts_that_stay_numpys():
    for f in (
        lambda i, v: np.bincount(i),
        lambda i, v: np.bincount(i, minlength=i.max() // 2),
        lambda i, v: np.bincount(i, v.astype(complex), minlength=LENGTH),
        lambda i, v: np.bincount(i.astype(np.uint64), minlength=LENGTH),
        lambda i, v: np.bincount(i[:5], minlength=-1),
    ):
        agrees(tracefn.function(f, jit="now"), f, INDEX % LENGTH, VALUES)


def test_functions_are_called_in_kernels_of_their_own():
    def f(x, i, v):
        found = np.zeros(x.shape)
        np.add.at(found, i, np.exp(v) * np.sin(v))
        return (x * found).sum() + np.tanh(x).max()

    with tracefn.config.jit("now"):
        graph = tracefn.function(f).get_concrete_function(np.zeros(LENGTH), INDEX, VALUES).stages()[-3].graph
    kernels = [n.args[0] for n in graph.nodes if n.op.name == "kernel"]
    assert [k.name for k in kernels if "exp" in str(k.graph)] == ["kernel"]
    assert [k.name for k in kernels if "add.at" in str(k.graph)] == ["loops"]


def test_functions_in_loops():
    def f(x, index, v):
        for k in range(index.shape[0]):
            x[index[k]] = np.exp(v[k]) * x[index[k, ::-1]]
        return x

    args = np.ones(LENGTH), RNG.integers(0, LENGTH, (40, 16)), -RNG.random((40, 16))
    traced = tracefn.function(f, jit="now")
    np.testing.assert_allclose(traced(*[a.copy() for a in args]), f(*[a.copy() for a in args]), rtol=1e-13)
    assert is_native(traced.concrete_functions[0])


def test_few_elements_are_left_to_numpy():
    held_against(put_items, np.zeros(LENGTH), INDEX[:20], VALUES[:20], native=False)


def test_no_warnings_are_lost_between_reads_and_writes():
    def f(x, i, v):
        x[i] += v
        return x

    traced = held_against(f, np.zeros(LENGTH), INDEX, VALUES)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning, match="overflow"):
            traced(np.full(LENGTH, 1.7e308), INDEX, np.full(N, 1.7e308))
