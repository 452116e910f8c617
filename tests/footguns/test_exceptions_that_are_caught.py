"""What a `try`, or a context manager that keeps exceptions, catches at a call is caught there, or not traced at all."""

import contextlib

import numpy as np
import pytest
import tracefn
from agreement import assert_all_agree, assert_all_agree_anyway
from numpy.linalg import LinAlgError

GOOD, SINGULAR, X = np.eye(2), np.zeros((2, 2)), np.ones(2)


def inverse_or_zeros(a):
    try:
        return np.linalg.inv(a)
    except LinAlgError:
        return np.zeros_like(a)


def inverse_or_itself(a):
    y = a * 1
    with contextlib.suppress(LinAlgError):
        y = np.linalg.inv(a)
    return y


def solved_in_a_helper(a):
    def solve(a):
        return np.linalg.solve(a, np.ones(2))

    try:
        return solve(a)
    except (KeyError, ValueError):
        return np.zeros(2)


@contextlib.contextmanager
def safely():
    try:
        yield
    except LinAlgError:
        pass


class Quiet:
    def __enter__(self):
        return self

    def __exit__(self, *error):
        return error[0] is LinAlgError


def in_a_context_of_ones_own(a):
    y = a * 1
    with safely():
        y = np.linalg.inv(a)
    return y


def in_an_object_that_keeps_it(a):
    y = a * 1
    with Quiet():
        y = np.linalg.inv(a)
    return y


@pytest.mark.parametrize(
    "function",
    [
        inverse_or_zeros,
        inverse_or_itself,
        solved_in_a_helper,
        in_a_context_of_ones_own,
        in_an_object_that_keeps_it,
    ],
)
def test_a_step_that_raises(function):
    assert_all_agree_anyway(function, (GOOD,), (SINGULAR,), (GOOD * 2,))


def raised_on_a_condition(x):
    try:
        if x.sum() > 3:
            raise ValueError("big")
        return x
    except ValueError:
        return -x


def raised_in_a_helper(x):
    def check(x):
        if x.sum() > 3:
            raise ValueError(f"sum is {x.sum()}")
        return x * 2

    try:
        return check(x)
    except ValueError as error:
        return str(error)


def an_assertion(x):
    try:
        assert x.sum() > 3
        return 1
    except AssertionError:
        return 0


def a_key_that_is_missing_in_a_branch(x):
    try:
        y = {"b": x}["a"] if x.sum() > 3 else x
    except KeyError:
        y = -x
    return y


def a_division(x):
    try:
        return 1 / int(x[0])
    except ZeroDivisionError:
        return float("inf")


def a_number_of_nan(x):
    try:
        return int(x[0])
    except ValueError:
        return -1


def everything(x):
    try:
        return float(x[int(x[0])])
    except:  # noqa: E722
        return None


@pytest.mark.parametrize(
    "function",
    [
        raised_on_a_condition,
        raised_in_a_helper,
        an_assertion,
        a_key_that_is_missing_in_a_branch,
        a_division,
        a_number_of_nan,
        everything,
    ],
)
def test_what_values_decide(function):
    assert_all_agree_anyway(function, (X,), (X * 5,), (X * 0,), (X * np.nan,))


def an_index_in_a_loop(x, n):
    total = 0
    for i in range(n):
        try:
            total += x[i]
        except IndexError:
            total -= 1
    return total


def test_an_index_in_a_loop():
    assert_all_agree_anyway(an_index_in_a_loop, (X, np.int64(2)), (X, np.int64(5)))


def one_that_is_not_caught(a):
    try:
        return np.linalg.inv(a)
    except KeyError:
        return a


def shapes(x, y):
    try:
        return x + y
    except ValueError as error:
        return str(error)


def keys(x, k):
    try:
        return x * {"a": 2}[k]
    except KeyError:
        return x


def other_exceptions_in_the_graph(x):
    try:
        if x.sum() > 3:
            raise ValueError("big")
        return x * {"a": 2}["a"]
    except KeyError:
        return x


def else_and_finally(x):
    n = 0
    try:
        y = x * 2
    except ValueError:
        y = x
    else:
        y = y + 1
    finally:
        n += 1
    return y * n


@contextlib.contextmanager
def timed():
    yield 3


def in_a_context_that_keeps_nothing(x):
    with timed() as n, contextlib.suppress(KeyError):
        return x * n


@pytest.mark.parametrize("jit", ["off", "now"])
def test_a_call_that_is_caught_is_made_again(jit):
    """The trace stays: only the calls that raise run eagerly, with what they have drawn and written taken back."""

    def careful(a, out, rng):
        out += 1
        noise = rng.normal()
        try:
            inverse = np.linalg.inv(a)
        except LinAlgError:
            inverse = np.linalg.pinv(a + 1)
        out[0] *= inverse[0, 0]
        return inverse + noise

    calls = [GOOD, SINGULAR, GOOD * 3, SINGULAR]
    traced = tracefn.function(careful, on_unsupported="eager", jit=jit)
    mine, theirs = (np.ones(2), np.random.default_rng(1)), (np.ones(2), np.random.default_rng(1))
    for a in calls:
        np.testing.assert_allclose(traced(a, *mine), careful(a, *theirs), rtol=1e-13)
        np.testing.assert_allclose(mine[0], theirs[0], rtol=1e-13)
    assert mine[1].normal() == theirs[1].normal()
    assert not traced.fallbacks and traced.tracing_count == 1


def test_unused_steps_that_raise():
    def is_regular(a):
        try:
            np.linalg.inv(a)
            return True
        except LinAlgError:
            return False

    def is_number(x):
        try:
            int(x[0])
            return True
        except ValueError:
            return False

    assert_all_agree_anyway(is_regular, (GOOD,), (SINGULAR,), (GOOD,))
    assert_all_agree_anyway(is_number, (X,), (X * np.nan,), (X,))


def test_what_stays_in_the_graph():
    assert_all_agree(one_that_is_not_caught, (GOOD,), (SINGULAR,))
    assert_all_agree(shapes, (X, X), (X, np.ones(3)))
    assert_all_agree(keys, (X, "a"), (X, "b"))
    assert_all_agree(other_exceptions_in_the_graph, (X,), (X * 5,))
    assert_all_agree(else_and_finally, (X,))
    assert_all_agree(in_a_context_that_keeps_nothing, (X,))


def test_lengths_that_are_left_open():
    def joined(x, y):
        try:
            return x + y
        except ValueError:
            return x

    assert_all_agree_anyway(joined, (np.ones(2), np.ones(3)), (np.ones(3), np.ones(3)), reduce_retracing=True)


def refused_and_caught(x):
    try:
        list(np.nditer(x, flags=["external_loop"]))
    except Exception:
        return 7
    return 8


def warning_of_its_own(x):
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.log(x)


def test_an_error_of_tracing_is_none_of_the_code():
    assert_all_agree_anyway(refused_and_caught, (X,))
    assert_all_agree_anyway(warning_of_its_own, (-X,), (-X,))


def test_the_message_names_the_step_and_the_exception():
    traced = tracefn.function(inverse_or_zeros, on_unsupported="error")
    with pytest.raises(tracefn.errors.ControlFlowError, match="(?s)linalg.inv.*LinAlgError.*line"):
        traced(GOOD)


@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning")
def test_a_power_with_a_modulus_whose_error_would_be_caught():
    held = {"n": 7}

    def step(x):
        try:
            held["n"] = pow(held["n"], 3, 101)
        except TypeError:
            held["n"] = -1
        return x

    traced = tracefn.function(step, on_unsupported="eager")
    for wanted in (40, 67, 86):
        traced(np.ones(2))
        assert held["n"] == wanted
