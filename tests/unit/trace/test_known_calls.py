"""Operators on types that were met before: what is remembered of them is what NumPy says of each."""

import numpy as np
import pytest
import tracefn
from tracefn.ir import infer

NUMBERS = [1, 1.0, True, 127, 128, 200, -1, 2**40, 1j, np.float32(1)]


def outcome(function, *args):
    try:
        result = function(*args)
    except Exception as error:
        return type(error), str(error).splitlines()[0]
    return result.dtype, result.tolist()


@pytest.mark.parametrize("dtype", [np.int8, np.uint64, np.float32, np.bool_])
@pytest.mark.parametrize("again", [False, True])
@pytest.mark.filterwarnings("ignore")
def test_each_number_has_the_type_that_numpy_gives_it(dtype, again):
    x = np.ones(2, dtype)
    for number in NUMBERS:
        for function in (lambda x, n: x + n, lambda x, n: n * x[:1], lambda x, n: x[0] ** n, lambda x, n: x > n):
            traced = tracefn.function(lambda x, f=function, n=number: f(x, n))
            assert outcome(traced, x) == outcome(function, x, number), (number, dtype)


def nodes_of_all_kinds(x, i, n):
    y = x.copy()
    y[1:] = x[:-1]
    y[i] = 2
    a = x[i] + x[0] + x[1:].sum() + np.linalg.norm(x)
    b = x[:2] / y[n:][:2]
    with np.errstate(divide="raise"):
        c = x / y
    return y, a, b, c, x**2.0, np.arange(3) ** 2


def test_nodes_alike_may_raise_alike():
    traced = tracefn.function(nodes_of_all_kinds).get_concrete_function(np.ones(4), np.int64(1), 1)
    nodes = traced.traced_graph.nodes
    expected = [infer._may_raise(n) for n in nodes]
    assert True in expected and False in expected
    for _ in range(2):
        assert [infer.may_raise(n) for n in nodes] == expected


@pytest.mark.parametrize(
    "function", [lambda x, y: x @ y.T, lambda x, y: x[1:] + y[::2], lambda x, y: x.reshape(-1, 2) * y[:, :2]]
)
def test_open_lengths_are_assumed_by_each_trace(function):
    spec = tracefn.TensorSpec((None, None), np.float64)
    x, y = np.ones((4, 2)), np.ones((6, 2))
    y = y[:4] if outcome(function, x, y)[0] is ValueError else y
    traces = [tracefn.function(function).get_concrete_function(spec, spec) for _ in range(2)]
    assert len({(str(t.structured_outputs), str(t._built.dim_guards)) for t in traces}) == 1
    called = [tracefn.function(function, input_signature=[spec, spec]) for _ in range(2)]
    for given in ((x, y), (y, x)):
        assert [outcome(f, *given) for f in called] == [outcome(function, *given)] * 2
