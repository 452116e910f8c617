"""Other tracers lose in-place writes, or write where eager code does not. Here the arrays hold what NumPy leaves."""

import numpy as np
import pytest
import tracefn
from agreement import assert_all_agree
from tracefn.errors import InPlaceWriteError

captured = np.zeros(3)


def same(eager, *args):
    """Results, arguments and errors of two traced calls are those of eager ones."""
    traced = tracefn.function(eager)
    mine, theirs = ([a.copy() if isinstance(a, np.ndarray) else a for a in args] for _ in "ab")
    for _ in range(2):
        np.testing.assert_equal(traced(*mine), eager(*theirs))
        np.testing.assert_equal(mine, theirs)


def test_augmented_assignment_reaches_the_callers_array():
    def add(x, y):
        x += y

    same(add, np.zeros(3), np.ones(3))


def test_augmented_assignment_of_a_number_does_not():
    def add(x, y):
        before = x
        x += y
        return before, x

    same(add, np.float64(1), np.ones(()))
    same(add, 1, np.float64(2))


def test_assignment_to_the_name_does_not_reach_the_callers_array():
    def add(x, y):
        x = x + y
        x[0] = 100
        return x

    same(add, np.zeros(3), np.ones(3))


def test_writing_through_a_view_is_seen_in_its_base():
    def write(x):
        row = x[1]
        column = x.T[0]
        row[:] = 5
        column += 1
        x.reshape(-1)[2] = 9
        return x, row, column

    same(write, np.zeros((3, 2)))


def test_writing_into_a_copy_is_not_seen():
    def write(x):
        flat, chosen, masked = x.flatten(), x[[0, 1]], x[x > 0]
        flat[0] = chosen[0] = 7
        masked[:] = 7
        y = x.copy()
        y += 1
        return flat, chosen, masked, y

    same(write, np.ones((2, 2)))


def test_a_result_that_is_the_argument_is_the_argument():
    @tracefn.function
    def write(x):
        x[0] = 1
        return x, x[1:]

    x = np.zeros(3)
    whole, rest = write(x)
    assert whole is x
    assert np.shares_memory(rest, x)


def test_a_captured_array_that_is_written_into_is_changed_outside():
    @tracefn.function
    def count(i):
        captured[i] += 1

    captured[:] = 0
    for i in (0, 2, 2):
        count(np.int64(i))
    assert captured.tolist() == [1, 0, 2]


def test_overlapping_source_and_destination():
    def shift(x):
        x[1:] = x[:-1]
        x[:-1] += x[1:]
        x[::-1] = x
        np.add(x[1:], x[:-1], out=x[1:])

    same(shift, np.arange(5.0))


def test_the_same_array_under_two_names():
    def swap(a, b):
        a[:2] = b[1:]
        return a + b

    def pair(f):
        x = np.arange(3.0)
        return f(x, x), f(x, np.ones(3)), x

    np.testing.assert_equal(pair(tracefn.function(swap)), pair(swap))


def test_read_only_arrays_raise_as_numpy_does():
    def write(x):
        x[0] = 1

    def add(x):
        x += 1

    frozen = np.zeros(3)
    frozen.flags.writeable = False
    for x in (frozen, np.broadcast_to(np.zeros(1), 3), np.frombuffer(bytes(24))):
        for f in (write, add):
            for function in (f, tracefn.function(f)):
                with pytest.raises(ValueError, match="read-only"):
                    function(x)
    assert not frozen.any()


def test_a_read_only_array_raises_at_a_call_that_finds_its_trace():
    @tracefn.function
    def write(x):
        x[0] = 1

    write(np.zeros(3))
    frozen = np.zeros(3)
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        write(frozen)


def test_views_that_numpy_makes_read_only():
    def write(x):
        np.broadcast_to(x, (2, 3))[0] = 1

    def diagonal(x):
        x.reshape(1, 3).diagonal()[...] = 1

    for f in (write, diagonal):
        for function in (f, tracefn.function(f)):
            with pytest.raises(ValueError, match="read-only"):
                function(np.zeros(3))


def test_an_update_of_another_dtype_raises_as_numpy_does():
    def add(x):
        x += 0.5

    for f in (add, tracefn.function(add)):
        x = np.zeros(2, int)
        with pytest.raises(TypeError, match="Cannot cast ufunc 'add'"):
            f(x)
        assert not x.any()


def test_an_assignment_casts_as_numpy_does():
    def assign(x, y):
        x[0] = 2.7
        x[1:] = y

    same(assign, np.zeros(3, np.int8), np.array([1.9, 3.5]))
    same(assign, np.zeros(3, "U2"), np.array(["long", "x"]))


def test_repeated_indices():
    def both(x, i):
        y = x.copy()
        x[i] += 1
        np.add.at(y, i, 1)
        return y

    same(both, np.zeros(3), np.array([0, 0, 2]))


def test_memory_that_is_shared_in_part_is_refused_and_not_guessed():
    @tracefn.function
    def shift(a, b):
        a[:] = b
        return a + b

    x = np.arange(100.0)
    with pytest.raises(InPlaceWriteError, match="another view of the same memory"):
        shift(x[1:4], x[:3])
    np.testing.assert_array_equal(x, np.arange(100.0))


@pytest.mark.parametrize(
    ("x", "y"),
    [
        (np.ones((2, 2)), np.full((2, 2), 3.0)),
        (np.ones((4, 2, 2)), np.full((2, 2), 3.0)),
        (np.ones(2), np.full((2, 2), 3.0)),
        (np.ones((2, 2), np.float32), np.full((2, 2), 3.0)),
        (np.ones((2, 2)), np.ones((2, 3))),
        (np.ones((2, 2)), np.ones((3, 2))),
        (np.ones((2, 2)), np.ones(2)),
        (np.ones(2), np.ones(2)),
        (np.ones((2, 2), int), np.ones((2, 2))),
        (np.ones((2, 2), int), np.float64(3)),
        (np.float64(3), np.ones((2, 2))),
    ],
)
def test_matrix_product_in_place(x, y):
    def multiply(x, y):
        x @= y
        return x

    assert_all_agree(multiply, (x, y))


def test_what_is_augmented_is_read_before_the_value():
    def grow(x):
        x[...] += 10
        return x[0]

    def augment(x, y):
        x[0] += grow(x)
        x[[0, -1]] *= y + np.ones(3)
        return x

    assert_all_agree(augment, (np.arange(3.0), np.ones(3)), (np.arange(3.0), np.ones(2)), (np.zeros(0), np.ones(2)))
    assert_all_agree(lambda x, y: x.__setitem__(0, grow(x)), (np.arange(3.0), 1))


def test_an_index_of_ranges_takes_a_copy():
    def diagonal(k):
        k = k * 1.0
        k[range(2), range(2)] += 0.5
        k[range(1, 3), 0] *= 3
        y = k[range(2)]
        y += 1
        return k, y, k[range(0)]

    def of_open_length(k):
        k = k * 1.0
        n = len(k)
        k[range(n), range(n)] += 1
        k[range(n - 1), range(1, n)] = k[range(n - 1), 0]
        return k

    assert_all_agree(diagonal, (np.arange(9.0).reshape(3, 3),))
    assert_all_agree(
        of_open_length, (np.ones((2, 2)),), (np.ones((3, 3)),), (np.ones((40, 40)),), reduce_retracing=True
    )


class Held:
    def __init__(self):
        self.whole = np.array([1.0, 2.0, 3.0])
        self.part = self.whole[::-1]


def writes_the_part_or_the_whole(held, x):
    if x > 0:
        held.part[0] += 1
    else:
        held.whole[0] += 2


def writes_the_part_or_reads_the_whole(held, x):
    total = 0.0
    if x > 0:
        held.part[0] += 1
    else:
        total = held.whole.sum()
    return total


@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning")
@pytest.mark.parametrize("function", [writes_the_part_or_the_whole, writes_the_part_or_reads_the_whole])
def test_branches_that_write_into_one_memory_by_two_names(function):
    traced, mine, theirs = tracefn.function(function, on_unsupported="eager"), Held(), Held()
    for x in (1.0, -1.0, 1.0):
        assert traced(mine, np.float64(x)) == function(theirs, np.float64(x))
        assert (mine.whole == theirs.whole).all() and (mine.part == theirs.part).all()
