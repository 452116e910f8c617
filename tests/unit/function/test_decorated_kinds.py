"""What can be decorated besides functions: generators, coroutines, properties, static methods, traced functions."""

import abc
import asyncio
import functools

import numpy as np
import pytest
import tracefn
from tracefn.errors import FallbackWarning, UnsupportedFunctionError

X = np.ones(2)
lenient = functools.partial(tracefn.function, on_unsupported="eager")


def test_generators_run_as_they_are_and_say_so():
    @lenient
    def doubled(x):
        for v in x:
            sent = yield v * 2
            if sent is not None:
                yield sent

    with pytest.warns(FallbackWarning, match="piece by piece"):
        assert list(doubled(X)) == [2, 2]
    given = doubled(X * 3)
    assert (next(given), given.send(7), next(given)) == (6, 7, 6)
    assert len(doubled.fallbacks) == 1

    strict = tracefn.function(doubled.python_function, on_unsupported="error")
    with pytest.raises(UnsupportedFunctionError, match="piece by piece"):
        strict(X)


def test_a_generator_in_a_traced_function():
    @lenient
    def rows(x):
        for row in x:
            yield row * 2

    @tracefn.function(on_unsupported="error")
    def total(x):
        found = 0
        for row in rows(x):
            found = found + row
        return found

    np.testing.assert_array_equal(total(np.ones((3, 2))), [6, 6])
    np.testing.assert_array_equal(total(np.ones((3, 2)) * 2), [12, 12])


@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning")
def test_coroutines():
    @lenient
    async def doubled(x):
        await asyncio.sleep(0)
        return x * 2

    @lenient
    async def each(x):
        for v in x:
            yield v

    async def main():
        return await doubled(X), [v async for v in each(X)]

    result, values = asyncio.run(main())
    assert result.tolist() == [2, 2] and values == [1, 1]


class Model:
    scale = 3

    def __init__(self, w):
        self.w = w

    @tracefn.function
    @staticmethod
    def twice(x):
        return x * 2

    @tracefn.function
    @classmethod
    def scaled(cls, x):
        return x * cls.scale

    @tracefn.function
    @property
    def double(self):
        """Twice the weights."""
        return self.w * 2

    @tracefn.function
    @functools.cached_property
    def sum(self):
        return self.w.sum()

    @tracefn.function
    def go(self, x):
        return x * self.w


class Wider(Model):
    scale = 5


def test_static_and_class_methods_below_the_decorator():
    m = Model(X)
    assert Model.twice(X).tolist() == m.twice(X).tolist() == [2, 2]
    assert Model.scaled(X).tolist() == m.scaled(X).tolist() == [3, 3]
    assert Wider.scaled(X).tolist() == Wider(X).scaled(X).tolist() == [5, 5]
    assert Model.scaled.tracing_count == 1


def test_properties_below_the_decorator():
    m, n = Model(X), Model(X * 4)
    assert (m.double.tolist(), n.double.tolist(), m.sum, n.sum) == ([2, 2], [8, 8], 2, 8)
    m.w = m.w + 1
    assert (m.double.tolist(), m.sum) == ([4, 4], 2)
    assert Model.double.__doc__ == "Twice the weights."
    with pytest.raises(AttributeError):
        m.double = 3


def test_abstract_methods_below_the_decorator():
    class Model(abc.ABC):
        @tracefn.function
        @abc.abstractmethod
        def run(self, x): ...

        @property
        @tracefn.function
        @abc.abstractmethod
        def size(self): ...

        @tracefn.function
        @classmethod
        @abc.abstractmethod
        def make(cls): ...

    assert Model.__abstractmethods__ == {"run", "size", "make"}
    with pytest.raises(TypeError, match="abstract"):
        Model()


def test_concrete_functions_of_methods_have_their_instance():
    m, n = Model(X), Model(X * 4)
    concrete = m.go.get_concrete_function(tracefn.TensorSpec((2,), np.float64))
    assert concrete(X).tolist() == concrete(x=X).tolist() == concrete(m, X).tolist() == [1, 1]
    assert n.go(X).tolist() == [4, 4]
    assert n.go.concrete_functions[0](X).tolist() == [4, 4]
    m.w = X * 7
    assert concrete(X).tolist() == [7, 7]


def test_the_name_of_a_function_that_is_traced_twice():
    def original(x):
        return x

    twice = tracefn.function(tracefn.function(original))
    assert twice.name == twice.__name__ == "original"
    assert twice.__qualname__ == original.__qualname__ and twice(X).tolist() == [1, 1]


@pytest.mark.parametrize("keywords", [{}, {"k": 3}])
def test_a_partial_whose_keywords_change(keywords):
    partial = functools.partial(lambda x, k=1: x * k, **keywords)
    f = tracefn.function(partial)
    for k in (3, 4, 4):
        for _ in range(3):
            np.testing.assert_array_equal(f(X), partial(X))
        partial.keywords["k"] = k
    partial.keywords.clear()
    np.testing.assert_array_equal(f(X), X)
