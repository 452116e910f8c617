"""Objects that a trace makes and changes: those that refer to one another, and those that something outside holds."""

import gc

import numpy as np
import pytest
import tracefn
from tracefn.errors import InPlaceWriteError
from tracefn.trace.state.garbage import MadeSince

X = np.arange(3.0)


class Node:
    def __init__(self, parent, value):
        self.parent, self.value, self.children = parent, value, []
        if parent is not None:
            parent.children.append(self)


def looked():
    """How often Python has looked through all objects for garbage."""
    return gc.get_stats()[2]["collections"]


def test_trees_whose_nodes_know_their_parents_are_made_in_a_trace():
    @tracefn.function(on_unsupported="error")
    def f(x):
        root = Node(None, x)
        child = Node(root, x + 1)
        child.value = child.value * 2
        root.value = root.value + child.parent.children[0].value
        return root.value

    gc.disable()
    try:
        before = looked()
        np.testing.assert_array_equal(f(X), 3 * X + 2)
        assert looked() == before
    finally:
        gc.enable()


def test_an_object_that_something_outside_holds_is_refused():
    keys = {Node(None, 0.0): "first"}

    @tracefn.function(on_unsupported="error")
    def f(x):
        made = Node(None, x)
        made.value = x + 1
        for key in keys:
            key.value = x
        return made.value

    with pytest.raises(InPlaceWriteError, match=r"`f` changes `.*\.value`, and how a later call finds"):
        f(X)
    assert [key.value for key in keys] == [0.0]


class Chosen:
    """Keeps the way in which it works, as a method of its own."""

    def __init__(self, kind="double"):
        self.calls = 0
        self.call = {"double": self.double, "square": self.square}[kind]
        self.hooks = [lambda: self.calls, self.double]

    def double(self, x):
        self.calls += 1
        return 2 * x

    def square(self, x):
        self.calls += 1
        return x * x


def test_an_object_that_its_own_methods_alone_hold_ends_with_the_call():
    @tracefn.function(on_unsupported="error")
    def f(x):
        made = Chosen("square")
        made.calls += 1
        return made.call(x) + made.hooks[1](x), made.hooks[0]()

    for _ in range(2):
        y, calls = f(X)
        np.testing.assert_array_equal(y, X * X + 2 * X)
        assert calls == 3


def test_an_object_whose_method_something_outside_holds_is_refused():
    methods = {Chosen().double: "first"}

    @tracefn.function(on_unsupported="error")
    def f(x):
        return [method(x) for method in methods]

    with pytest.raises(InPlaceWriteError, match=r"`f` changes `.*\.calls`, and how a later call finds"):
        f(X)
    assert [method.__self__.calls for method in methods] == [0]


@pytest.mark.parametrize("looks", [(), (0,), (1,), (0, 0), (2,)], ids=str)
def test_garbage_is_found_where_it_has_got_to(looks):
    class Cycle:
        pass

    gc.disable()
    try:
        since, cycle = MadeSince(), Cycle()
        cycle.itself = cycle
        for generation in looks:
            gc.collect(generation)
        before, gone = looked(), []
        Cycle.__del__ = lambda self: gone.append(True)
        del cycle
        since.collect()
        assert gone == [True] and (looked() > before) == (looks not in ((), (0,), (0, 0)))
    finally:
        gc.enable()
