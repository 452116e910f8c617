"""Functions that a traced function defines and gives away: each call makes its own, with variables of their own."""

import numpy as np
import pytest
import tracefn


def counters(start):
    count, best = start, None

    def bump(x):
        nonlocal count, best
        count += 1
        if best is None or x.sum() > best:
            best = x.sum()
        return x * count

    def read():
        """What was counted."""
        return count, best

    bump.reader = read
    return bump, read


def adder(w):
    doubled = w * 2
    return lambda x, k=w.sum(): x + doubled + k  # noqa: B008


class Node:
    def __init__(self, value):
        self.value = value
        self.backward = lambda: None
        self.method = self.shifted

    def shifted(self):
        self.value = self.value + 1
        return self.value


def relu(node):
    out = Node(np.maximum(node.value, 0))

    def backward(g):
        node.value = node.value - g * out.value

    out.backward = backward
    return out


def factorial(node, n):
    def of(k):
        return 1 if k <= 1 else k * of(k - 1)

    node.of = of
    return of(n) * node.value


def counted(traced):
    make = traced(counters)
    for start in (0, 5, 0):
        (bump, read), (other, read_other) = make(start), make(start)
        yield (
            bump(np.ones(2)),
            bump(np.ones(2) * 3),
            read(),
            read_other(),
            bump.reader(),
            other(np.zeros(1)),
            read_other(),
        )
        yield bump.__name__, bump.__qualname__, read.__doc__, bump.reader is read


def added(traced):
    make = traced(adder)
    for w in (np.ones(2), np.arange(2.0)):
        f, g = make(w), make(w)
        yield f(1.0), f is g, f(np.ones(2), k=0), f.__name__


def on_objects(traced):
    make = traced(relu)
    a, b = Node(np.array([1.0, -1.0])), Node(np.array([2.0, -1.0]))
    for _ in range(3):
        x, y = make(a), make(b)
        x.backward(0.5)
        y.backward(0.5)
        yield a.value, b.value, x.value, x.method(), x.value, y.value, x.backward is y.backward, x.method.__self__ is x


def recursive(traced):
    call, node = traced(factorial), Node(np.ones(2))
    for n in (3, 4, 3):
        yield call(node, n), node.of(n + 1)


def traced_inside(traced):
    def counter(start, step=1.0):
        count = start

        @traced
        def bump(by=step):
            nonlocal count
            count += by
            return count

        return bump

    make, held = traced(counter), []
    keep = traced(lambda step: held.append(traced(lambda x, k=step: x * k)))
    for step in (1.0, np.float64(0.5), 1.0):
        with tracefn.config.on_unsupported("eager"):
            f, g = make(2.0, step), make(2.0, step)
            keep(step)
        yield f(), f(), g(), f(3), f is g, held[-1](2.0), held[0] is held[-1]


@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning")
@pytest.mark.parametrize("driver", [counted, added, on_objects, recursive, traced_inside], ids=lambda f: f.__name__)
def test_as_eager(driver):
    assert repr(list(driver(tracefn.function))) == repr(list(driver(lambda f: f)))


def test_lambdas_are_named_as_they_are_written():
    def names(x):
        made = [lambda: x, lambda *a: x, lambda y: x, *[(lambda: 3) for _ in range(2)]]
        chosen = (lambda: 1) if len(x) else (lambda: 2)
        return [(f.__name__, f.__qualname__, repr(f).split(" at ")[0]) for f in (*made, chosen)]

    assert tracefn.function(names)(np.ones(2)) == names(np.ones(2))
