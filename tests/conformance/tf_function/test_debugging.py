"""Debugging and escape hatches: eager running, checks, user lines in errors, what is converted and what is not."""

import ast
import functools
import traceback
import warnings

import numpy as np
import pytest
import tracefn
from conformance.tf_function.support import line_of
from tracefn.errors import AutographWarning, ControlFlowError, NumericsError, TensorBoolError


def sign(x):
    if x > 0:
        return 1.0
    return -1.0


def test_run_functions_eagerly(capsys):
    @tracefn.function
    def f(x):
        print("Python runs")
        return x + 1 if x > 0 else x

    with tracefn.config.run_functions_eagerly(True):
        assert f(np.float64(1)) == 2 and f(np.float64(1)) == 2
    assert capsys.readouterr().out == "Python runs\n" * 2
    f(np.float64(1)), f(np.float64(1))
    assert capsys.readouterr().out == "Python runs\n"


def test_check_numerics_names_the_operation():
    @tracefn.function
    def loss(p):
        return -np.sum(p * np.log(p))  # log

    with np.errstate(all="ignore"), tracefn.debugging.enable_check_numerics():
        with pytest.raises(NumericsError, match=rf"np.log(.|\n)*line {line_of(loss, 'log')}"):
            loss(np.array([0.5, 0.0]))


def test_errors_while_tracing_are_at_the_users_line():
    @tracefn.function
    def f(x):
        if x.sum() > 0:
            x = x + np.ones(5)  # shapes
        return x

    with pytest.raises(ValueError, match="broadcast") as caught:
        f(np.ones(3))
    frames = [(frame.filename, frame.lineno) for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert (__file__, line_of(f, "shapes")) in frames


def test_errors_at_the_call_are_at_the_users_line():
    @tracefn.function
    def f(x, i):
        while i < 10:
            i = i + 1
        return x[i]  # index

    with pytest.raises(IndexError) as caught:
        f(np.ones(3), np.int64(0))
    text = "".join(traceback.format_exception(caught.value))
    assert f"line {line_of(f, 'index')}" in text


def test_a_debugger_stops_in_the_users_source():
    """In generated code in TensorFlow. `breakpoint()` looks at the frames that this looks at."""
    found = []

    @tracefn.autograph.do_not_convert
    def breakpoint_():
        found.extend((frame.filename, frame.lineno) for frame in traceback.extract_stack())

    @tracefn.function
    def f(x):
        if x > 0:
            breakpoint_()  # stop
        return x

    f(np.float64(1))
    assert (__file__, line_of(f, "stop")) in found


def test_to_code_is_python():
    def f(x):
        while np.sum(x) > 1:
            x = np.tanh(x)
        return x

    code = tracefn.autograph.to_code(f)
    (definition,) = (n for n in ast.walk(ast.parse(code)) if isinstance(n, ast.FunctionDef) and n.name == "f")
    assert "while_stmt" in code and definition


def test_do_not_convert():
    @tracefn.autograph.do_not_convert
    def unconverted(x):
        if x > 0:
            return 1.0
        return -1.0

    f = tracefn.function(lambda x: unconverted(x), name="f")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(TensorBoolError, match="condition"):
            f(np.float64(1))
        with pytest.raises(TensorBoolError):
            tracefn.function(sign, autograph=False)(np.float64(1))
    assert tracefn.function(sign)(np.float64(1)) == 1.0


def converted_callables():
    class Methods:
        def method(self, x):
            return sign(x)

        @staticmethod
        def static(x):
            return 1.0 if x > 0 else -1.0

        @classmethod
        def of_class(cls, x):
            return 1.0 if x > 0 else -1.0

        def __call__(self, x):
            return 1.0 if x > 0 else -1.0

    def closure(positive):
        def nested(x):
            return positive if x > 0 else -1.0

        return nested

    def decorated(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            return function(*args, **kwargs)

        return wrapper

    methods = Methods()
    return {
        "function": sign,
        "traced function": tracefn.function(sign),
        "lambda": lambda x: 1.0 if x > 0 else -1.0,
        "method": methods.method,
        "static method": methods.static,
        "class method": methods.of_class,
        "callable object": methods,
        "closure": closure(1.0),
        "decorated": decorated(sign),
        "partial": functools.partial(lambda one, x: one if x > 0 else -one, 1.0),
        "recursive on Python values": lambda x: descend(x, 3),
    }


def descend(x, depth):
    return sign(x) if depth == 0 else descend(x, depth - 1)


@pytest.mark.parametrize("kind", converted_callables())
def test_what_is_called_is_converted(kind):
    function = converted_callables()[kind]

    @tracefn.function
    def f(x):
        return function(x)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert f(np.float64(2)) == 1.0 and f(np.float64(-2)) == -1.0
    assert f.tracing_count == 1


def test_a_constructor_is_converted():
    """Not in TensorFlow."""

    class Clipped:
        def __init__(self, x):
            self.x = x
            if x > 1:
                self.x = x * 0 + 1

    f = tracefn.function(lambda x: Clipped(x).x * 2, name="f")
    assert f(np.float64(5)) == 2.0 and f(np.float64(0.25)) == 0.5


def test_the_body_of_a_with_is_converted_its_context_manager_is_not():
    class Scaled:
        def __init__(self, x):
            self.x = x

        def __enter__(self):
            return self.x * 10

        def __exit__(self, *error):
            return False

    @tracefn.function
    def f(x):
        with Scaled(x) as y:
            if y > 10:
                return y
            return x

    assert f(np.float64(2)) == 20.0 and f(np.float64(1)) == 1.0


def test_a_nested_function_that_is_returned_is_converted():
    @tracefn.function
    def f(x):
        def make():
            def inner(y):
                if y > x:
                    return y
                return x

            return inner

        return make()(x * x)

    assert f(np.float64(3)) == 9.0 and f(np.float64(0.5)) == 0.5


def test_nested_lambdas_with_the_same_parameters():
    """A parse error in TensorFlow."""
    nested = lambda x: lambda x: x + 1 if x > 0 else x - 1  # noqa: E731
    f = tracefn.function(nested(0))
    assert f(np.float64(3)) == 4 and f(np.float64(-3)) == -4


def test_lambdas_that_span_lines_or_share_one():
    """Source that Python reports in part, or with what is around it."""
    pair = (
        "bar",
        lambda x: (
            x * 2
            if x > 0
            else -x
        ),
    )  # fmt: skip
    one, two = (lambda x: 1.0 if x > 0 else 2.0), (lambda x: 3.0 if x > 0 else 4.0)
    values = [tracefn.function(g)(np.float64(x)) for g in (pair[1], one, two) for x in (1, -1)]
    assert values == [2, 1, 1, 2, 3, 4]


def test_a_function_without_source_runs_as_it_is_with_a_warning():
    space = {}
    exec("def sign(x):\n    if x > 0:\n        return 1.0\n    return -1.0\n", space)
    f = tracefn.function(lambda x, y: x * space["sign"](y), name="f")
    with pytest.warns(AutographWarning, match="source"), tracefn.events.record() as events:
        assert f(np.float64(2), 3) == 2.0
    (event,) = (e for e in events if e.type == "autograph.fallback")
    assert event.cause and event.ran_instead
    with pytest.raises(TensorBoolError):
        f(np.float64(2), np.float64(3))


def test_a_generator_function_is_traced():
    """It runs as it is in TensorFlow, with a warning."""

    def halves(x):
        for _ in range(3):
            yield x
            x = x / 2

    @tracefn.function
    def f(x):
        total = 0.0
        for value in halves(x):
            total = total + value
        return total

    assert f(np.float64(4)) == 7.0
    assert f(np.float64(8)) == 14.0
    assert f.tracing_count == 1


def test_built_in_functions_on_traced_values():
    @tracefn.function
    def f(x, y):
        return abs(x), max(x, y), min(x, y), len([x, y]), sum([x, y]), int(x), float(y), bool(x)

    for x, y in ((1.0, -2.0), (-1.0, -2.0), (3.0, 4.0)):
        assert f(np.float64(x), np.float64(y)) == f.python_function(np.float64(x), np.float64(y))
    assert f.tracing_count == 1


def test_any_and_all_of_traced_values():
    f = tracefn.function(lambda x, y: (any([x > 0, y > 0]), all([x > 0, y > 0])), name="f")
    for x, y in ((1.0, -2.0), (-1.0, -2.0), (3.0, 4.0)):
        assert f(np.float64(x), np.float64(y)) == (x > 0 or y > 0, x > 0 and y > 0)


def test_installed_libraries_are_left_alone():
    f = tracefn.function(lambda x: np.broadcast_arrays(x, x)[0] * 1, name="f")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(f(np.ones(2)), np.ones(2))


def test_what_became_of_each_line():
    @tracefn.function
    def f(x, scales):
        for scale in scales:
            x = x * scale
        if x > 1:
            x = x / 2
        return x

    f(np.float64(3), [1.0, 2.0])
    report = str(f.staging())
    assert "unrolled ×2" in report and "staged" in report


def test_a_recursion_on_traced_values_says_so():
    def recursive(n):
        if n > 0:
            return recursive(n - 1)
        return 1

    f = tracefn.function(recursive)
    assert f(5) == 1
    with pytest.raises(ControlFlowError, match="calls itself"):
        f(np.int64(5))
