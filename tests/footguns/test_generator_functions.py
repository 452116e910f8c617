"""Generator functions, iterators and context managers in traced functions: what they change, each call changes."""

import contextlib

import numpy as np
import pytest
import tracefn


class Counted:
    """An iterator that starts anew."""

    def __init__(self, n):
        self.n, self.i, self.started = n, 0, 0

    def __iter__(self):
        self.i = 0
        self.started += 1
        return self

    def __next__(self):
        if self.i >= self.n:
            raise StopIteration
        self.i += 1
        return self.i


class Indexed:
    """Has items, and no method that goes over them."""

    def __init__(self):
        self.reads = 0

    def __getitem__(self, i):
        self.reads += 1
        return [1.0, 2.0, 3.0][i]


class Readings:
    def __init__(self):
        self.total, self.depth, self.log = 0, 0, []
        self.counted, self.indexed = Counted(3), Indexed()

    def windows(self, x, n):
        for start in range(len(x) - n + 1):
            if start > 2:
                break
            self.total += start
            yield x[start : start + n] * self.total

    def delegating(self, x):
        yield from self.windows(x, 2)
        yield x[:2]

    @contextlib.contextmanager
    def deeper(self):
        self.depth += 1
        try:
            yield self.depth
        finally:
            self.depth -= 1
            self.log.append(self.total)

    def state(self):
        return self.total, self.depth, list(self.log), self.counted.started, self.counted.i, self.indexed.reads


def in_a_loop(r, x):
    total = 0.0
    for window in r.windows(x, 2):
        total = total + window.sum()
    return total


def in_comprehensions(r, x):
    return (
        np.array([w.mean() for w in r.windows(x, 2)]),
        sum(w[0] for w in r.delegating(x)),
        max(map(len, r.windows(x, 3))),
    )


def side_by_side(r, x):
    return [k * a * w for k, (a, w) in enumerate(zip(r.counted, r.windows(x, 2), strict=False))]


def unpacked(r, x):
    first, *others = r.windows(x, 2)
    return first, others, tuple(r.indexed), list(r.counted), len(list(r.delegating(x)))


def managed(r, x):
    with r.deeper() as a, r.deeper() as b:
        return x * a + b + sum(v for v in r.indexed)


@pytest.mark.parametrize(
    "function", [in_a_loop, in_comprehensions, side_by_side, unpacked, managed], ids=lambda f: f.__name__
)
def test_each_call_changes_what_eager_code_changes(function):
    def calls(called):
        r = Readings()
        return [repr((called(r, np.arange(float(n)) + 1), r.state())) for n in (4, 6, 4, 4, 6)]

    assert calls(tracefn.function(function)) == calls(function)


def test_a_generator_that_catches_what_is_raised_is_refused():
    seen = []

    def careful():
        try:
            yield 1.0
        except ValueError:
            seen.append(1)

    with pytest.raises(tracefn.errors.UnsupportedFunctionError, match="cannot be rewritten"):
        tracefn.function(lambda x: x * sum(careful()))(np.ones(2))


def test_what_is_kept_on_a_python_function_is_found_on_the_traced_one():
    def scaled(x):
        return x * 2

    scaled.unit = "m"
    f = tracefn.function(scaled)
    assert f.unit == "m" and not hasattr(f, "other")


def test_a_function_that_cannot_be_rewritten_and_changes_something_is_refused():
    seen = []

    def notes(x):
        seen.append(len(locals()))
        return x

    def reads(x):
        return x * len(locals())

    with pytest.raises(tracefn.errors.UnsupportedFunctionError, match="its reads and writes are not recorded"):
        tracefn.function(lambda x: notes(x) * 2)(np.ones(2))
    with pytest.raises(tracefn.errors.UnsupportedFunctionError, match="its reads and writes are not recorded"):
        tracefn.function(notes)(np.ones(2))
    assert seen == []
    with pytest.raises(tracefn.errors.UnsupportedFunctionError, match="reads variables through `eval`"):
        tracefn.function(reads)(np.ones(2))
