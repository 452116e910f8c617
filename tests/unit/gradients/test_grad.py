"""`grad` and `value_and_grad`: what they are taken by, what they give, and where they are refused."""

from __future__ import annotations

import dataclasses
import functools
import gc
import math
import statistics
import warnings
import weakref
from typing import Any, NamedTuple

import numpy as np
import pytest
import tracefn
from tracefn.errors import GradientError, MissingDerivativeError

X = np.array([0.5, -1.0, 2.0])
TANH = 1 - np.tanh(X) ** 2


def sum_of_squares(x: Any) -> Any:
    return np.sum(x * x)


def sum_outside(x: Any) -> Any:
    return tracefn.py_function(sum, [x], np.float64)


def test_value_is_that_of_the_function() -> None:
    def f(x: Any, scale: float = 2.0) -> Any:
        return np.sum(np.tanh(x * scale))

    value, derivative = tracefn.value_and_grad(f)(X, scale=3.0)
    assert value == f(X, 3.0) and type(value) is np.float64
    np.testing.assert_allclose(derivative, 3 * (1 - np.tanh(3 * X) ** 2))


def test_orders() -> None:
    def f(x: Any) -> Any:
        return x * x * x * x

    first = tracefn.grad(f)
    second = tracefn.grad(first)
    third = tracefn.grad(second)
    assert [g(2.0) for g in (first, second, third)] == [32.0, 48.0, 48.0]
    assert type(first(2.0)) is np.float64 and type(first(np.float32(2))) is np.float32


def test_python_numbers_stay_values_where_python_calculates() -> None:
    def f(x: float) -> float:
        return math.sqrt(x) + float(np.sin(x)) * (x if x > 0 else -x)

    expected = 0.5 / math.sqrt(0.7) + math.cos(0.7) * 0.7 + math.sin(0.7)
    assert math.isclose(tracefn.grad(f)(0.7), expected)


def test_lists_of_values_are_arrays() -> None:
    def f(x: Any) -> Any:
        return (
            np.var([x, np.sin(x), 1.0])
            + np.max((x, 0.25))
            + np.cumsum([[x, x], [2.0, x]])[-1]
            + np.where(x > 0, [x, x], 1.0)[0]
        )

    x, h = 0.5, 1e-6
    assert math.isclose(tracefn.grad(f)(x), (f(x + h) - f(x - h)) / (2 * h), rel_tol=1e-8)


def _with_first(x: Any, values: Any) -> Any:
    made = x * x
    made.flat[[0, 1]] = values
    return made


@pytest.mark.parametrize("join", [
    lambda x, s: np.append(x, [s, 2 * s]), lambda x, s: np.insert(x, [1, 2], [s, 1.0]),
    lambda x, s: np.dot(x, [s, 1.0, s]), lambda x, s: np.diff(x, prepend=[s, s]),
    lambda x, s: np.pad(x, 1, constant_values=(s, 2 * s)), lambda x, s: np.polyint(x, m=2, k=[s, s]),
    lambda x, s: _with_first(x, [s, s]) * s,
])  # fmt: skip
def test_lists_may_hold_values_that_are_constants(join: Any) -> None:
    x, s = np.array([0.5, 2.0, -1.0]), np.array(0.75)
    expected = [(join(x + h, s) - join(x - h, s)) / 2e-6 for h in 1e-6 * np.eye(3)]
    np.testing.assert_allclose(tracefn.jacobian(join)(x, s).T, expected, atol=1e-8)


@pytest.mark.parametrize("call", [
    lambda x, **options: np.maximum(x[0], x[1], **options), lambda x, **options: np.clip(x[0], x[1], 1.0, **options),
    lambda x, **options: np.maximum.reduce(x, axis=0, **options),
    lambda x, **options: np.minimum.reduceat(x, [0, 1], axis=0, **options)[0],
    lambda x, **options: np.min(x, axis=0, out=np.zeros(3, options["dtype"])) if options else np.min(x, axis=0),
    lambda x, **options: _largest(x, *options.values()),
])  # fmt: skip
def test_extrema_of_less_precision(call: Any) -> None:
    x = np.array([[0.1, 0.7, 0.3], [0.2, 0.6, 0.4]])
    expected = tracefn.grad(lambda x: np.sum(call(x)))(x)
    np.testing.assert_array_equal(tracefn.grad(lambda x: np.sum(call(x, dtype=np.float32)))(x), expected)
    assert np.any(expected != 0)


def test_running_extrema_of_nothing() -> None:
    assert tracefn.grad(lambda x: np.sum(np.maximum.accumulate(x)))(np.zeros(0)).shape == (0,)


def _largest(x: Any, dtype: Any = float) -> Any:
    made = x[0].astype(dtype)
    np.maximum.at(made, [0, 1, 2], x[1])
    return made


def test_positions_and_structures() -> None:
    def f(a: Any, p: Any) -> Any:
        return np.sum(a * p["w"] * p["b"][0])

    p = {"w": X + 1, "b": [X + 2, None]}
    by_a, by_p = tracefn.grad(f, argnums=(0, -1))(X, p)
    np.testing.assert_allclose(by_a, p["w"] * p["b"][0])
    np.testing.assert_allclose(by_p["w"], X * p["b"][0])
    np.testing.assert_allclose(by_p["b"][0], X * p["w"])
    assert by_p["b"][1] is None


@dataclasses.dataclass
class Line:
    slope: Any
    name: str = "line"


class Pair(NamedTuple):
    left: Any
    right: Any


def test_dataclasses_and_named_tuples() -> None:
    by_line = tracefn.grad(lambda line: np.sum(line.slope * line.slope))(Line(X))
    assert type(by_line) is Line and by_line.name is None
    np.testing.assert_array_equal(by_line.slope, 2 * X)
    by_pair = tracefn.grad(lambda pair: np.sum(pair.left * pair.right))(Pair(X, X + 1))
    assert type(by_pair) is Pair
    np.testing.assert_array_equal(by_pair.right, X)


class Model:
    def __init__(self) -> None:
        self.w = np.arange(3.0)

    def loss(self, x: Any) -> Any:
        return np.sum(self.w * x * x)

    def __call__(self, x: Any) -> Any:
        return self.loss(x)

    @tracefn.function
    def traced(self, x: Any) -> Any:
        return np.sum(self.w * x * x)


@pytest.mark.parametrize("name", ["loss", "traced"])
def test_methods_read_their_object_at_each_call(name: str) -> None:
    model = Model()
    g = tracefn.grad(getattr(model, name))
    np.testing.assert_allclose(g(X), 2 * model.w * X)
    model.w = np.ones(3)
    np.testing.assert_allclose(g(X), 2 * X)


@pytest.mark.parametrize("name", ["loss", "traced", "__call__"])
def test_methods_are_traced_once(name: str) -> None:
    model = Model()
    counts = set()
    for _ in range(3):
        derivative = tracefn.grad(model if name == "__call__" else getattr(model, name))
        np.testing.assert_allclose(derivative(X), 2 * model.w * X)
        counts.add((derivative.function_id, derivative.tracing_count))
    assert len(counts) == 1


@pytest.mark.parametrize("called", [lambda model: model, lambda model: model.loss])
def test_methods_that_were_traced_already(called: Any) -> None:
    model = Model()
    loss = tracefn.function(called(model))
    assert loss(X) == np.sum(model.w * X * X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        derivative = tracefn.grad(loss)
        np.testing.assert_allclose(derivative(X), 2 * model.w * X)
        np.testing.assert_allclose(derivative(X + 1), 2 * model.w * (X + 1))
        np.testing.assert_allclose(tracefn.hessian(loss)(X), np.diag(2 * model.w))


def test_parts_of_a_call_that_were_traced_already() -> None:
    loss = tracefn.function(functools.partial(lambda x, y, z=2.0: np.sum(x * y * y) * z, 2.0, z=3.0))
    np.testing.assert_allclose(tracefn.grad(loss)(X), 12 * X)
    np.testing.assert_allclose(tracefn.grad(loss)(X, z=1.0), 4 * X)


def test_derivatives_go_with_their_function() -> None:
    def make() -> Any:
        def f(x: Any) -> Any:
            return x * x

        assert tracefn.grad(f)(3.0) == 6.0
        return weakref.ref(f)

    gone = make()
    gc.collect()
    assert gone() is None


def test_wrappers_have_derivatives_of_their_own() -> None:
    assert tracefn.grad(sum_of_squares)(X).sum() == 2 * X.sum()

    @functools.wraps(sum_of_squares)
    def wrapper(x: Any) -> Any:
        return 10 * sum_of_squares(x)

    np.testing.assert_array_equal(tracefn.grad(wrapper)(X), 20 * X)


def test_other_uses_of_the_same_array_are_constants() -> None:
    traced = tracefn.function(lambda x: tracefn.grad(lambda z: np.sum(z * x))(x))
    np.testing.assert_array_equal(traced(X), X)
    of_two = tracefn.grad(lambda a, b: np.sum(a * b))
    np.testing.assert_array_equal(of_two(X, X), X)


def test_calls_of_traced_functions_are_part_of_it() -> None:
    inner = tracefn.function(lambda x: np.sum(np.tanh(x)))
    np.testing.assert_allclose(tracefn.grad(inner)(X), TANH)
    twice = tracefn.grad(lambda x: inner(x) * inner(x))
    np.testing.assert_allclose(twice(X), 2 * np.tanh(X).sum() * TANH)
    outer = tracefn.function(lambda x: tracefn.grad(inner)(x[1:]))
    np.testing.assert_allclose(outer(X), TANH[1:])


def test_open_lengths_have_one_trace() -> None:
    f = tracefn.function(sum_of_squares, input_signature=[tracefn.TensorSpec((None,), np.float64)])
    outer = tracefn.function(lambda x: tracefn.grad(f)(x), input_signature=[tracefn.TensorSpec((None,), np.float64)])
    for n in (3, 5, 1):
        np.testing.assert_array_equal(outer(np.arange(float(n))), 2 * np.arange(float(n)))
    assert outer.tracing_count == 1


def test_one_function_is_traced_once() -> None:
    assert tracefn.grad(sum_of_squares) is tracefn.grad(sum_of_squares)
    assert tracefn.grad(sum_of_squares) is not tracefn.grad(sum_of_squares, argnums=(0,))


def test_variables_are_taken_by_what_they_hold() -> None:
    v = tracefn.Variable(X)
    g = tracefn.grad(lambda v: np.sum(v.value() * v))
    np.testing.assert_array_equal(g(v), 2 * X)
    v.assign(X + 1)
    np.testing.assert_array_equal(g(v), 2 * (X + 1))


def test_aux() -> None:
    def f(x: Any) -> Any:
        return np.sum(x), {"twice": x * 2}

    (value, aux), derivative = tracefn.value_and_grad(f, has_aux=True)(X)
    assert value == X.sum()
    np.testing.assert_array_equal(aux["twice"], 2 * X)
    np.testing.assert_array_equal(derivative, np.ones(3))
    np.testing.assert_array_equal(tracefn.grad(f, has_aux=True)(X)[1]["twice"], 2 * X)


def test_results_are_arrays_of_their_own() -> None:
    by_x, by_y = tracefn.grad(lambda x, y: np.sum(x) + np.sum(y), argnums=(0, 1))(X, X)
    by_x += 1
    np.testing.assert_array_equal(by_y, np.ones(3))


def test_what_is_not_reached_is_zero() -> None:
    zeros = tracefn.grad(lambda x, y: np.sum(x), argnums=1)(X, X.astype(np.float32))
    assert zeros.dtype == np.float32 and not zeros.any()
    assert tracefn.grad(lambda x, n: np.sum(x) * n, argnums=1, allow_int=True)(X, 3) == 0.0


def test_dtypes_are_those_of_the_arguments() -> None:
    by_x, by_y = tracefn.grad(lambda x, y: np.sum(x * y), argnums=(0, 1))(X.astype(np.float32), X[:1])
    assert by_x.dtype == np.float32 and by_y.dtype == np.float64 and by_y.shape == (1,)


@pytest.mark.parametrize(
    ("write", "name"),
    [
        (lambda x, y: np.square.at(y, [0]), "np.square.at"),
        (lambda x, y: np.power.at(y, [0], x[:1]), "np.power.at"),
        (lambda x, y: np.power.reduce(np.stack([x, x]), axis=0, out=y), "np.power.reduce"),
    ],
)
def test_a_write_without_a_derivative_is_named(write: Any, name: str) -> None:
    def f(x: Any) -> Any:
        y = 2 * x
        write(x, y)
        return np.sum(y)

    with pytest.raises(
        MissingDerivativeError, match=rf"the derivative of `{name}` is not known\n.*\n.*custom_gradient"
    ):
        tracefn.grad(f)(X)


@pytest.mark.parametrize(
    ("f", "args", "error", "words"),
    [
        (lambda x: x * x, (X,), GradientError, r"returned float64\[3\]"),
        (lambda x: "text", (X,), GradientError, "returned str"),
        (lambda x: (np.sum(x), np.max(x)), (X,), GradientError, "returned several things"),
        (sum_of_squares, (np.arange(3),), GradientError, r"argument 0 is int64\[3\], by which"),
        (sum_of_squares, (3,), GradientError, "allow_int"),
        (sum_outside, (X,), MissingDerivativeError, "`sum` is not known\n  at .*test_grad"),
        (lambda x: np.sum(x + np.ones(2)), (X,), ValueError, "could not be broadcast"),
        (sum_of_squares, (), TypeError, "missing"),
    ],
)
def test_errors(f: Any, args: Any, error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        tracefn.grad(f)(*args)


def test_arguments_are_checked() -> None:
    with pytest.raises(TypeError, match="callable"):
        tracefn.grad(3)
    with pytest.raises(TypeError, match="argnums=2"):
        tracefn.grad(sum_of_squares, argnums=2)(X)
    with pytest.raises(ValueError, match="twice for one argument"):
        tracefn.grad(lambda x, y: np.sum(x * y), argnums=(1, -1))(X, X)
    with pytest.raises(TypeError, match="primals in a tuple"):
        tracefn.jvp(sum_of_squares, X, X)


def test_functions_of_libraries_are_no_steps_of_a_derivative() -> None:
    assert tracefn.grad(math.exp)(2.0) == math.exp(2.0)
    assert tracefn.grad(math.hypot, (0, 1))(3.0, 4.0) == (0.6, 0.8)
    assert tracefn.jvp(math.sin, (0.0,), (2.0,)) == (0.0, 2.0)
    assert tracefn.grad(functools.wraps(math.sin)(lambda x: x * x))(3.0) == 6.0
    with pytest.raises(MissingDerivativeError, match="statistics.mean"):
        tracefn.grad(statistics.mean)([1.0, 2.0])


def test_a_result_may_be_an_array_of_one_number() -> None:
    np.testing.assert_array_equal(tracefn.grad(lambda x: x[:1] * x[1])(X), [X[1], X[0], 0])
    np.testing.assert_array_equal(tracefn.grad(lambda x: np.sum(x * x, keepdims=True))(X), 2 * X)


def test_functions_that_are_to_run_eagerly() -> None:
    with tracefn.config.run_functions_eagerly():
        np.testing.assert_array_equal(tracefn.grad(sum_of_squares)(X), 2 * X)
        assert tracefn.config.functions_run_eagerly()


def test_a_derivative_rests_on_the_users_function_alone():
    rate = 2.0

    def f(x):
        return np.sum(x * rate)

    derivative = tracefn.grad(f)
    derivative(np.ones(2))
    built = derivative.concrete_functions[0]._built
    found = {guard.path.text for guard in (*built.values, *built.identities)}
    assert found and all(text.startswith("closure") and "run" not in text for text in found), found
    rate = 3.0
    np.testing.assert_array_equal(derivative(np.ones(2)), [3.0, 3.0])


def test_functions_with_a_cache(no_fallback):
    derivatives = tracefn.grad(_cube), tracefn.grad(tracefn.grad(_cube)), tracefn.grad(lambda x: _cube(x) / x)
    np.testing.assert_allclose([f(2.0) for f in derivatives], [12.0, 12.0, 4.0])
    assert _cube.cache_info().currsize == 0
    slope = (_legendre(0.3 + 1e-6, 25) - _legendre(0.3 - 1e-6, 25)) / 2e-6
    np.testing.assert_allclose(tracefn.grad(lambda x: _legendre(x, n=25))(0.3), slope, rtol=1e-6)


@functools.cache
def _cube(x):
    return x**3


@functools.lru_cache
def _legendre(x, n):
    if n < 2:
        return x if n else 1.0
    return ((2 * n - 1) * x * _legendre(x, n - 1) - (n - 1) * _legendre(x, n - 2)) / n


@pytest.mark.parametrize("number", [0.1, 1.0, 1e9 / 3])
def test_a_standard_deviation_of_equal_numbers_is_flat(number):
    """Rounding may leave a distance of each from the mean."""
    rows = np.array([[number] * 3, [1.0, 2.0, 4.0]])
    found = tracefn.grad(lambda x: np.sum(np.std(x, axis=1)) + np.nanstd(x[0]))(rows)
    np.testing.assert_allclose(found[0], 0, atol=1e-12)
    np.testing.assert_allclose(found[1], (rows[1] - 7 / 3) / (3 * np.std(rows[1])))


def test_quotients_by_the_number_0_are_numpys():
    x = np.array([1.0, 2.0])
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.testing.assert_array_equal(tracefn.grad(lambda x: np.sum(x / 0))(x), [np.inf, np.inf])
        np.testing.assert_array_equal(tracefn.grad(lambda x: np.sum(x / -0.0))(x), [-np.inf, -np.inf])
        np.testing.assert_array_equal(tracefn.jvp(lambda x: np.sum(x / 0), (x,), (x,))[1], np.inf)
        empty = np.zeros((0, 2))
        np.testing.assert_array_equal(tracefn.jvp(lambda e: np.mean(e, axis=0), (empty,), (empty,))[1], [np.nan] * 2)
