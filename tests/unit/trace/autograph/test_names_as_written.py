"""What is defined in traced code has the names, the docstring and the annotations that it has in plain code."""

import dataclasses
import functools
import traceback
import typing

import numpy as np
import pytest
import tracefn


def said(function):
    told = function.__name__, function.__qualname__, function.__module__, function.__doc__
    return *told, dict(function.__annotations__)


def of_a_function(x):
    def scaled(y: float, by: int = 2) -> float:
        """`y` by a number."""
        if by > 1:
            return y * by
        return y

    return said(scaled), scaled(x)


def of_a_docstring_alone(x):
    def nothing(y):
        """Does nothing."""

    return said(nothing), nothing(x)


def of_a_function_that_is_named_anew(x):
    def rolling(y):
        """Computes the {name}."""
        return y if y is None else y + 1

    rolling.__doc__ = rolling.__doc__.format(name="mean")
    rolling.__name__ = "rolling_mean"
    return said(rolling), rolling(x)


def of_a_class(x):
    @dataclasses.dataclass
    class Point:
        """A point."""

        a: float
        b: int = 2

        def norm(self) -> float:
            return self.a * self.b

    return repr(Point(3.0)), said(Point)[:4], said(Point.norm), Point(x).norm()


def of_a_named_tuple(x):
    class Pair(typing.NamedTuple):
        first: int
        second: int = 0

    return str(Pair), Pair(1), x


def of_what_is_wrapped(x):
    def decorated(function):
        @functools.wraps(function)
        def inner(*args):
            return function(*args) + 1

        return inner

    @decorated
    def doubled(y: float) -> float:
        """Twice `y`."""
        return y * 2

    return said(doubled), doubled.__wrapped__.__qualname__, doubled(x)


def of_a_generator(x):
    def rounds(n: int):
        """Numbers."""
        for i in range(n):
            yield i * x

    return said(rounds), sum(rounds(3))


def in_a_loop_and_a_branch(x):
    found = []
    for i in range(3):

        class Round:
            number = i

        found.append(str(Round))
        if i == 1:
            found.append(said(lambda y: y))
            found.append([said(lambda y, k=k: y + k) for k in range(2)])
    return found, x


OF_ITS_KIND = [
    of_a_function, of_a_docstring_alone, of_a_function_that_is_named_anew, of_a_class, of_a_named_tuple,
    of_what_is_wrapped, of_a_generator, in_a_loop_and_a_branch,
]  # fmt: skip


@pytest.mark.parametrize("function", OF_ITS_KIND, ids=lambda f: f.__name__)
def test_names_are_those_of_plain_code(function):
    traced = tracefn.function(function, on_unsupported="error")
    for _ in range(2):
        np.testing.assert_equal(traced(np.ones(2)), function(np.ones(2)))


def test_a_function_that_is_returned_says_the_same():
    def outer(x):
        def inner(y: int) -> float:
            """Inner."""
            return y * x

        return inner

    traced = tracefn.function(outer, on_unsupported="error")
    for _ in range(2):
        assert said(traced(2.0)) == said(outer(2.0))


def body_of_a_class(x):
    class Wrong:
        items = [1][5]


def round_of_a_generator(x):
    def numbers():
        yield 1
        raise KeyError(1)

    for _ in numbers():
        pass


@pytest.mark.parametrize("function", [body_of_a_class, round_of_a_generator], ids=lambda f: f.__name__)
def test_tracebacks_name_what_plain_ones_name(function):
    def entries(called):
        with pytest.raises(LookupError) as caught:
            called(np.ones(2))
        return [(entry.name, entry.lineno) for entry in traceback.extract_tb(caught.tb)][1:]

    assert entries(tracefn.function(function)) == entries(function)
