"""Programs over all dtypes and layouts in which random testing found another result than NumPy's, cut down."""

import numpy as np
import pytest
import tracefn
from agreement import assert_all_agree
from tracefn.errors import UnsupportedFunctionError

square = np.arange(1.0, 10).reshape(3, 3)


def test_what_is_equal_to_an_argument_is_not_the_argument():
    def alike(x, y):
        found = np.minimum(x, x), x & x, np.conj(y), y.astype(y.dtype), np.maximum(x, x)[::-1], y * 1, y.copy(), x | 0
        changed = np.maximum(x, x)
        changed[0] -= 4
        x.sort()
        y[...] = 3
        return *found, changed

    x = np.array([3, 1, 2])
    assert_all_agree(alike, (x, x.copy()), (x, np.array([3, 1, 2], np.int8)))
    traced = assert_all_agree(lambda x, y: alike(x, y), (x, x.copy()))
    both = x.copy()
    theirs, mine = alike(*[x.copy()] * 2), traced(both, both)
    np.testing.assert_array_equal(mine, theirs)


def test_what_is_equal_to_what_was_written_before_stays():
    def twice(y, x):
        y[0] = 7
        kept = np.minimum(y, y)
        y[...] = 1
        return kept

    assert_all_agree(twice, (np.arange(3), 1))


def test_two_names_of_an_array_in_nested_loops():
    def fill(z, y, n):
        for _ in range(2):
            for _ in range(n):
                z.flat[0] = 0.5
                v = y.item(0)
            np.copyto(z, 2, where=z > 0)
        return z, v

    traced = assert_all_agree(fill, (np.arange(3.0), np.arange(3.0), np.int64(2)))
    x, y = np.arange(3.0), np.arange(3.0)
    np.testing.assert_equal(traced(x, x, np.int64(2)), fill(y, y, np.int64(2)))


def test_an_error_for_some_lengths_is_none_for_others():
    def clip(x, y):
        first = y.flat[0]
        np.clip(y, 0, 2, out=x)
        return x, first

    calls = [(np.ones((n, 4)), np.arange(4.0)[:n]) for n in (3, 2, 1, 4)]
    assert_all_agree(clip, *calls, reduce_retracing=True)


def test_a_write_keeps_the_shape_of_its_array_for_every_length():
    def clip(x, y, n):
        for _ in range(n):
            x[x > 1] = 1
            np.clip(y, 0, 2, out=x)
        return x.squeeze()

    assert_all_agree(
        clip, *[(np.ones((n, 4)), np.arange(4.0)[:n], np.int64(2)) for n in (4, 2, 1)], reduce_retracing=True
    )


@pytest.mark.parametrize(
    "unused",
    [
        lambda x, y: x.argmax(axis=0),
        lambda x, y: x.max(),
        lambda x, y: np.ptp(x),
        lambda x, y: x + y,
        lambda x, y: x @ x,
        lambda x, y: np.array([2, 3]) ** y.astype(int)[:2],
    ],
)
def test_errors_of_what_nobody_needs(unused):
    def program(x, y):
        unused(x, y)
        return x + 1

    calls = [(np.ones((n, 3)), -np.ones(n)) for n in (3, 2, 1, 0)]
    assert_all_agree(program, *calls, reduce_retracing=True)


def test_a_value_of_the_wrong_shape_for_a_variable_that_the_round_replaces():
    def program(x, y, n):
        v = y | 5
        for _ in range(n):
            v[...] = x[::-1, ::-1]
            v = np.diff(y)
        return v

    calls = [(np.ones((1, k), int), np.arange(k), np.int64(2)) for k in (4, 3, 2)]
    assert_all_agree(program, *calls, reduce_retracing=True)


def test_numpy_looks_at_dtypes_before_shapes():
    def into(x, y, z):
        np.matmul(x, y, out=z)
        return z

    def selection(x, y, z):
        x[x > 1] //= np.outer(y, y)

    assert_all_agree(into, (square[:, :2], np.ones((3, 1), complex), np.ones((3, 1), np.float32)))
    assert_all_agree(selection, (np.arange(4, dtype=np.uint16), np.ones(4), 0))


@pytest.mark.parametrize(
    "write",
    [
        lambda x, y: x.__setitem__(0, 1),
        lambda x, y: x.__iadd__(np.ones((9, 9))),
        lambda x, y: np.add(x, 1, out=x),
        lambda x, y: x.sort(),
        lambda x, y: x[::2].fill(0),
        lambda x, y: np.copyto(x, x),
    ],
)
def test_arrays_that_are_read_only(write):
    def program(x, y):
        y[0] = 3
        write(x, y)
        return x

    locked = np.arange(3)
    locked.flags.writeable = False
    assert_all_agree(program, (locked, np.zeros(2)), (np.arange(3), np.zeros(2)))


def test_lengths_have_all_operators_of_integers():
    def numbers(x):
        n = len(x)
        return (
            *(n << 2, 64 >> n, n & 6, 5 | n, n ^ 3, ~n, abs(n), +n, divmod(n, 3), divmod(7, n), round(n), int(n)),
            *(-2 << n, x.sum() / float(n), int(x.size), x / int(x.size)),
        )

    traced = assert_all_agree(numbers, *[(np.ones(n),) for n in (3, 4, 5, 6)], reduce_retracing=True)
    assert traced.tracing_count == 2


def test_a_length_that_values_decide_is_an_int():
    def count(x):
        return int(np.unique(x).size), x[x > 1].sum() / float(len(x[x > 1]))

    assert_all_agree(count, (np.array([1, 2, 2, 3]),), (np.array([1, 2, 2, 2]),))


def test_a_cast_that_loses_parts_warns_where_it_happens():
    def subtract(y, z):
        for _ in range(len(z)):
            np.subtract(z, y, out=y, casting="unsafe")
        return y, float(z[:1].sum())

    assert_all_agree(subtract, *[(np.ones(n), np.ones(n, complex)) for n in (3, 4, 0, 5)], reduce_retracing=True)


def test_too_many_values_for_a_mask_before_a_later_error():
    def program(x):
        x[x > 1] = np.arange(3.0)
        return x[0, 0]

    assert_all_agree(program, (np.arange(5.0),), (np.arange(4.0),), (np.arange(6.0),))


def test_ufuncs_and_their_methods_take_lists_of_traced_values():
    def program(x, i):
        np.add.at(x, [0, i], [x[2], 5])
        np.add.at(x.reshape(1, -1), ([0, 0], [i, 1]), 1)
        reduced = np.maximum.reduce([x, x[::-1], x * 2]), np.logical_or.reduce((x > 1, x < 0))
        return *reduced, np.add([x[0], x[1]], 1), np.hypot((x[0], 3.0), x[:2]), np.add.outer([x[0], 2], x), x

    assert_all_agree(program, (np.arange(3.0), np.int64(1)), (np.arange(3.0), np.int64(0)))


def test_a_list_that_a_loop_could_not_be_staged_with():
    def primes(n):
        found = []
        for k in range(2, n):
            is_prime = True
            for p in found:
                if p * p > k:
                    break
                if k % p == 0:
                    is_prime = False
                    break
            if is_prime:
                found.append(k)
        return np.array(found)

    assert_all_agree(primes, (60,), (np.int64(60),), (np.int64(10),))


def test_lengths_that_values_decide_may_be_one():
    def into_a_row(y, z):
        np.clip(np.unique(z), 0, 2, out=y)
        return y

    ones, more = np.ones(3), np.arange(4.0)
    assert_all_agree(into_a_row, (np.zeros((1, 4)), ones), (np.zeros((1, 4)), more), (np.zeros((1, 4)), more[:2]))


def test_what_a_branch_wrote_through_a_view_stays_where_it_raises():
    def program(x, y, limit):
        y[0] = 2
        if np.any(x):
            x[...] = x < limit
            x[x > 1] = -1
        return x

    x = np.full(1, 5, np.uint32)
    traced = tracefn.function(program)
    for views in ((x, x[::-1]), (x[::-1], x), (x, x)):
        x[0] = 5
        with pytest.raises(OverflowError):
            traced(*views, 2.0)
        assert x[0] == 0


@pytest.mark.parametrize("mode", ["off", "now"])
@pytest.mark.parametrize(
    "copied",
    [
        lambda y: y.astype(np.int32),
        lambda y: np.ascontiguousarray(
            y[::-1]
        ),  # of an array that runs backwards perhaps a view: such calls run eagerly
        lambda y: y * 1,
        lambda y: np.array(y),
        lambda y: np.minimum(y, y),
    ],
)
def test_what_was_computed_from_an_argument_that_turns_out_to_be_another_one(copied, mode):
    def program(x, y):
        before = copied(y)
        x += 1
        return before.std(axis=0), before + 1

    traced = tracefn.function(program, jit=mode, on_unsupported="eager")
    for views in (lambda a: (a, a), lambda a: (a, a[::-1]), lambda a: (a[::-1], a), lambda a: (a, a[:2])):
        mine, theirs = np.arange(12, dtype=np.int32).reshape(3, 4), np.arange(12, dtype=np.int32).reshape(3, 4)
        np.testing.assert_equal(traced(*views(mine)), program(*views(theirs)))
        np.testing.assert_equal(mine, theirs)


def test_a_global_array_that_is_the_argument():
    traced = tracefn.function(reads_a_global)
    for _ in range(3):
        before = shared_array.copy()
        np.testing.assert_array_equal(traced(shared_array), before + 1)
        np.testing.assert_array_equal(shared_array, before + 1)
    assert traced.tracing_count == 1


shared_array = np.arange(4)


def reads_a_global(x):
    before = shared_array.astype(int)
    x += 1
    return before + 1


def test_a_running_total_into_an_array_without_axes():
    """NumPy ends the process where it is asked with arrays that share no memory."""

    def program(x):
        return np.cumsum(x, axis=0, out=x)

    with pytest.raises(UnsupportedFunctionError, match="without axes"):
        tracefn.function(program)(np.array(2.0))


def test_a_matrix_product_in_place_of_what_a_mask_picks():
    def program(x):
        x[x < 2] @= x.max(axis=-1, keepdims=True)
        return x

    assert_all_agree(program, (np.ones(3),), (np.full(3, 4.0),))
