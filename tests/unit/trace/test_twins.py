"""Twins of iterators give what these give, and leave them where they are."""

import itertools

import numpy as np
import pytest
import tracefn
from tracefn.trace.state.twins import Ahead, twin

VALUES = [0.5, 1.5, 2.5]
KINDS = [
    lambda: iter(VALUES),
    lambda: reversed(VALUES),
    lambda: iter(tuple(VALUES)),
    lambda: iter("abc"),
    lambda: iter(range(3)),
    lambda: iter(dict.fromkeys(VALUES)),
    lambda: iter({0.5: 1, 1.5: 2}.items()),
    lambda: iter(set(VALUES)),
    lambda: iter(np.array(VALUES)),
    lambda: enumerate(VALUES, 3),
    lambda: zip(VALUES, itertools.count(2, 3), strict=False),
    lambda: itertools.cycle(VALUES),
    lambda: itertools.cycle(zip("ab", VALUES, strict=False)),
    lambda: itertools.repeat(2, 4),
    lambda: itertools.islice(VALUES, 1, 3),
    lambda: itertools.chain(VALUES, enumerate("ab")),
    lambda: itertools.product(VALUES, "ab"),
    lambda: itertools.permutations(VALUES, 2),
]


@pytest.mark.parametrize("taken", range(6))
@pytest.mark.parametrize("make", KINDS)
def test_a_twin_gives_the_same(make, taken):
    iterator, same = make(), make()
    for _ in range(taken):
        assert next(iterator, None) == next(same, None)
    rest = list(itertools.islice(same, 12))
    assert list(itertools.islice(twin(iterator, {}), 12)) == rest
    assert list(itertools.islice(iterator, 12)) == rest


def test_iterators_in_two_others_have_one_twin():
    numbers = itertools.count()
    first, second, known = zip(numbers, "abc", strict=False), enumerate(numbers), {}
    first_twin, second_twin = twin(first, known), twin(second, known)
    assert [next(first_twin), next(second_twin), next(first_twin)] == [(0, "a"), (0, 1), (2, "b")]
    assert next(numbers) == 0


class Squares:
    def __getitem__(self, index):
        return index**2


@pytest.mark.parametrize("iterator", [(i for i in range(3)), iter(Squares()), map(str, [1]), zip("a")])
def test_what_runs_code_has_none(iterator):
    has_one = isinstance(iterator, zip)
    assert (twin(iterator, {}) is not None) == has_one


def test_an_iterator_that_was_advanced_meanwhile_is_an_error():
    ahead, numbers = Ahead(), itertools.count()
    ahead.note(numbers, ahead.next(numbers))
    next(numbers)
    with pytest.raises(RuntimeError, match="a count was advanced while a call took elements from it"):
        ahead.end()


def test_a_program_that_raises_leaves_what_eager_code_leaves():
    numbers, seen = itertools.cycle([1.0, 2.0]), []

    @tracefn.function(on_unsupported="eager")
    def f(x):
        seen.append(1)
        y = x * next(numbers)
        if x[0] > 1:
            raise ValueError("large")
        return y + next(numbers)

    assert f(np.ones(1)) == f(np.ones(1)) == 3
    with pytest.raises(ValueError, match="large"):
        f(np.full(1, 2.0))
    assert next(numbers) == 2 and seen == [1, 1, 1] and type(numbers) is itertools.cycle
    assert f.tracing_count == 1 and not f.fallbacks


def _left_early(it, x, k):
    out = []
    for v in it:
        out.append(v)
        if len(out) > 1 or k == 1:
            break
    for _ in it:
        if k == 2:
            break
        out.append(x)
        if len(out) > 4:
            return out
    else:
        out.append("end")
    return out, next(it, None)


@pytest.mark.parametrize(
    "make",
    [
        itertools.count, lambda: iter([1.5, 2.5] * 6), lambda: iter(range(9)), lambda: enumerate("abcdefgh"),
        lambda: iter(dict.fromkeys("abcdefgh")), lambda: (i for i in range(12)),
    ],
)  # fmt: skip
def test_a_loop_that_is_left_takes_no_more_than_it_goes_over(make):
    mine, theirs, traced = make(), make(), tracefn.function(_left_early)
    for k in (0, 1, 2, 0, 1, 0):
        x = np.full(2, float(k))
        assert repr(traced(mine, x, k)) == repr(_left_early(theirs, x, k))


def test_a_value_that_decides_when_an_iterator_is_left():
    def summed(it, x):
        total = 0.0
        for v in it:
            total += v
            if total > x.sum():
                break
        return total, next(it)

    mine, theirs, traced = iter(range(30)), iter(range(30)), tracefn.function(summed, on_unsupported="eager")
    for n in (1.0, 5.0, 2.0):
        assert traced(mine, np.full(2, n)) == summed(theirs, np.full(2, n))
    assert len(traced.fallbacks) == 1
