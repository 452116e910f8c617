"""Questions about the memory of traced arrays, and functions that give the array itself."""

import numpy as np
import pytest
import tracefn
from agreement import assert_all_agree, assert_all_agree_anyway


def views(x):
    y = x * 2
    v = y[1:]
    return np.may_share_memory(x, y), np.shares_memory(y, v), np.may_share_memory(v.T, y), np.may_share_memory(y, y)


def two_arguments(x, y):
    return np.may_share_memory(x, y), x + y


def parts_of_one(x):
    return np.shares_memory(x[:1], x[1:]), np.may_share_memory(x[::2], x[1::2])


def test_what_is_known():
    assert_all_agree(views, (np.ones(3),), (np.ones((3, 3)),))


def test_what_is_not_known():
    x = np.ones(3)
    assert_all_agree_anyway(parts_of_one, (x,))
    assert_all_agree_anyway(two_arguments, (x, x + 1))
    traced = tracefn.function(two_arguments)
    assert traced(x, x)[0] and not traced(x, x + 1)[0] and not traced.fallbacks


def test_autograph_is_a_module():
    import tracefn.autograph
    from tracefn.autograph import do_not_convert, to_code

    assert tracefn.autograph.to_code is to_code and do_not_convert is not None


def flat_part_written(x, n):
    if n:
        x[int(n) - 1, 0] = 7
    flat = x[:, ::-1].ravel()
    flat[0] = 9
    return flat


def contiguous_part_written(x, n):
    if n:
        x[int(n) - 1] = 7
    whole = np.ascontiguousarray(x[::-1])
    whole[0] = 9


def test_parts_of_an_array_that_runs_backwards():
    """Their writes show in it where the part is contiguous, though a copy of it runs forwards."""
    for n in (0, 2):
        assert_all_agree_anyway(flat_part_written, (np.arange(6.0).reshape(2, 3)[:, ::-1], np.array(n)))
        assert_all_agree_anyway(contiguous_part_written, (np.arange(4.0)[::-1], np.array(n)))


def given_back(x):
    """Functions that give the array itself where they have nothing to do."""
    found = [
        np.atleast_1d(x),
        np.atleast_2d(x),
        np.squeeze(x),
        np.real(x),
        x.real,
        np.ascontiguousarray(x),
        x.squeeze(),
    ]
    return [y is x for y in found], [y is x for y in (x[:], x.T, x.view())], found


def given_back_in_a_loop(x):
    while x[0] < 5:
        x = np.atleast_1d(np.real(x))
        x[0] += 2
    return x


def perhaps_given_back(x):
    return np.require(x) is x, np.asfortranarray(x) is x, np.asarray_chkfinite(x) is x


def test_the_array_itself_comes_from_functions_with_nothing_to_do():
    shapes = [(np.ones(3),), (np.ones((1, 3)),), (np.ones((1, 3), complex),)]
    traced = assert_all_agree(given_back, *shapes)
    for (x,) in shapes:
        assert [y is x for y in traced(x)[2]] == [y is x for y in given_back(x)[2]]
    assert_all_agree(given_back_in_a_loop, (np.zeros(3),), (np.ones(3) * 9,))
    x = np.zeros(3)
    assert tracefn.function(given_back_in_a_loop)(x) is x and x[0] == 6
    assert_all_agree_anyway(perhaps_given_back, (np.ones(3),), (np.ones((2, 3)),), (np.ones((3, 2)).T,))


def made_of(x):
    """The array itself, views of it and copies, by the copies and the order in memory that are asked for."""
    found = [
        np.array(x, ndmin=1, copy=None),
        np.array(x, ndmin=3, copy=False),
        np.array(x, copy=None, order="C"),
        np.array(x, copy=None, order="f"),
        np.array(x, float, copy=None, order="K"),
        np.asarray(x, order="F"),
        np.asarray(x, None, "C"),
        np.asarray(x, copy=True),
        np.asanyarray(x, x.dtype, copy=True),
        np.asarray(x, np.float32, order="F"),
    ]
    for number, y in enumerate(found):
        y[0] += 2**number
    return [y is x for y in found], [y.strides[-2:] for y in found], found


@pytest.mark.parametrize("order", "CF")
def test_arrays_are_copied_that_are_asked_for_in_another_order_or_as_copies(order):
    x = np.arange(6.0).reshape(2, 3)
    assert_all_agree_anyway(made_of, (np.array(x, order=order),), (x.copy()[:, ::-1],), (x[::-1].astype(np.int32).T,))


@pytest.mark.parametrize("order", "CF")
def test_copies_are_refused(order):
    f = tracefn.function(lambda x: np.array(x, order=order, copy=False))
    same, other = np.ones((2, 3), order=order), np.ones((3, 2), order=order).T
    assert f(same) is same
    with pytest.raises(ValueError, match="Unable to avoid copy"):
        f(other)
