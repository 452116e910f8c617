"""prefetch: the same elements, made ahead within bounds, errors passed on, and no thread left behind."""

from __future__ import annotations

import itertools
import threading
import time

import numpy as np
import pytest
from tracefn import TensorSpec
from tracefn.data import Dataset

I8 = TensorSpec((), np.int64)


def wait_until(condition):
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.001)


def threads():
    return [t for t in threading.enumerate() if t.name == "tracefn-prefetch"]


@pytest.fixture(autouse=True)
def no_thread_is_left():
    yield
    wait_until(lambda: not threads())


@pytest.mark.parametrize("size", [1, 2, 1000])
def test_the_same_elements(size):
    assert list(Dataset.range(200).prefetch(size)) == list(range(200))
    assert list(Dataset.range(50).prefetch(size).map(lambda n: n + 1).prefetch(size)) == list(range(1, 51))


def test_elements_are_made_ahead_and_no_more_than_asked_for():
    made = []

    def generator():
        for n in itertools.count():
            made.append(n)
            yield n

    iterator = iter(Dataset.from_generator(generator, I8).prefetch(3))
    assert not threads()
    next(iterator)
    wait_until(lambda: len(made) >= 4)
    time.sleep(0.05)
    assert len(made) <= 5  # the one that was taken, three that wait, one that waits to be put
    assert len(threads()) == 1
    del iterator


@pytest.mark.parametrize("size", [1, 5])
def test_the_thread_ends_with_its_iterator(size):
    endless = Dataset.range(10).repeat().prefetch(size)
    for _ in range(20):
        for n in endless:
            if n == 3:
                break
    closed = iter(endless)
    next(closed)
    closed.close()
    iter(endless)  # never begun


def test_an_error_is_raised_where_the_element_is_asked_for():
    def generator():
        yield 1
        raise KeyError("mine")

    iterator = iter(Dataset.from_generator(generator, I8).prefetch(4))
    assert next(iterator) == 1
    with pytest.raises(KeyError, match="mine"):
        next(iterator)
    with pytest.raises(StopIteration):
        next(iterator)
