"""Values of which a traced number says what they are: `None` or an array, one of some texts, one of some functions."""

import collections

import numpy as np
import pytest
import tracefn
from agreement import assert_all_agree
from tracefn.errors import ControlFlowError

X = np.arange(6.0) / 6
LONG = np.arange(50.0)
POINTS = np.random.default_rng(1).random((40, 3))
ONE, MINUS_ONE = np.float64(1), np.float64(-1)


def found_or_none(x, value):
    for i in range(len(x)):
        if x[i] == value:
            return i
    return None


def found_or_nothing(x, value):
    for i in range(len(x)):
        if x[i] == value:
            return i


def both_roots_or_none(a, b, c):
    d = b * b - 4 * a * c
    if d < 0:
        return None
    s = np.sqrt(d)
    return (-b - s) / (2 * a), (-b + s) / (2 * a)


def newton_with_status(x, tol):
    for it in range(100):
        f = x**3 - 2
        if abs(f) < tol:
            return x, it, "converged"
        x = x - f / (3 * x**2)
    return x, 100, "failed"


def bisection(square, a, b, tol):
    def f(x):
        return x * x - square

    if f(a) * f(b) >= 0:
        return None
    while (b - a) / 2 > tol:
        m = (a + b) / 2
        if f(m) == 0:
            return m
        if f(a) * f(m) < 0:
            b = m
        else:
            a = m
    return (a + b) / 2


def nearest(x, limit):
    best, distance = None, limit
    for i in range(x.shape[0]):
        d = ((x[i] - 0.5) ** 2).sum()
        if d < distance:
            best, distance = x[i], d
    return best, distance


def nearest_plus_one(x, limit):
    return nearest(x, limit)[0] + 1


def sum_of_near_ones(x, limit):
    total = None
    for i in range(x.shape[0]):
        if ((x[i] - 0.5) ** 2).sum() < limit:
            if total is None:
                total = x[i]
            else:
                total = total + x[i]
    if total is None:
        return np.zeros(3)
    return total.sum() * np.ones(3)


def first_of_a_while_loop(x, n):
    best, i = None, 0
    while i < n:
        if best is None or x[i] > best:
            best = x[i]
        i += 1
    return best


def states(x, n):
    state, i = "start", 0
    while i < n:
        if state == "start":
            state = "run"
        elif state == "run" and x[i] > 0.2:
            state = "stop"
        elif state == "stop":
            state = "start"
        i += 1
    return state, i


def a_text_is_used(x, t):
    name = "pos" if t > 0 else ("neg" if t < 0 else "zero")
    if name == "pos":
        x = x * 2
    elif name in ("neg", "other"):
        x = -x
    factors = {"pos": 1.5, "neg": 2.5, "zero": 0.0}
    return x * factors[name], name, name.upper(), len(name), "it is " + name, bool(name), name is None, not name


def a_function_is_chosen(x, t):
    f = np.sin if t > 0 else np.cos
    return f(x)


def a_method_is_chosen(x, t):
    how = {"sum": x.sum, "mean": x.mean}["sum" if t > 0 else "mean"]
    return how()


def none_becomes_something(x, t):
    y = None
    if t > 0:
        y = x * t
    if y is not None:
        y = y + 1
    return y


def none_is_used(x, t):
    y = None
    if t > 0:
        y = x * t
    return y + 1, np.sum(y), np.dot(y, y), x * y, x < y, len(y), y[0], y.mean()


def none_in_structures(x, t):
    found = {"status": "ok", "x": None, "both": (1, None)}
    if t > 0:
        found = {"status": "bad", "x": x, "both": (2, x)}
    return found


Found = collections.namedtuple("Found", "x success message")


def a_text_in_a_named_tuple(x, t):
    for _ in range(20):
        x = x * 0.5
        if x.sum() < t:
            return Found(x, True, "converged")
    return Found(x, False, "too many rounds")


def a_text_is_raised(x, t):
    text = "too small" if t < 0 else "too large"
    if abs(t) > 1:
        raise ValueError(text)
    return x


def nothing_is_unpacked(x, t):
    def pair():
        if t > 0:
            return x, x + 1
        return None

    a, b = pair()
    return a - b


CALLS = {
    found_or_none: [(X, X[3]), (X, ONE * 9), (LONG, LONG[30]), (LONG, ONE * 77)],
    found_or_nothing: [(X, X[3]), (X, ONE * 9), (LONG, LONG[30]), (LONG, ONE * 77)],
    both_roots_or_none: [(ONE, ONE * 3, ONE), (ONE, ONE, ONE)],
    newton_with_status: [(ONE, 1e-10), (-3 * ONE, 0.0)],
    bisection: [(2 * ONE, 0 * ONE, 2 * ONE, 1e-6), (2 * ONE, 1.8 * ONE, 2 * ONE, 1e-6)],
    nearest: [(POINTS, ONE), (POINTS[:3], ONE), (POINTS, 0 * ONE)],
    nearest_plus_one: [(POINTS, ONE), (POINTS[:3], ONE), (POINTS, 0 * ONE)],
    sum_of_near_ones: [(POINTS, 0.3 * ONE), (POINTS, 0 * ONE), (POINTS[:5], ONE)],
    first_of_a_while_loop: [(X, np.int64(3)), (X, np.int64(0))],
    states: [(X, np.int64(n)) for n in (3, 0, 6)],
    a_text_is_used: [(X, ONE), (X, MINUS_ONE), (X, 0 * ONE)],
    a_function_is_chosen: [(X, ONE), (X, MINUS_ONE)],
    a_method_is_chosen: [(X, ONE), (X, MINUS_ONE)],
    none_becomes_something: [(X, ONE), (X, MINUS_ONE)],
    none_in_structures: [(X, ONE), (X, MINUS_ONE)],
    a_text_in_a_named_tuple: [(X, ONE), (X, MINUS_ONE)],
    a_text_is_raised: [(X, ONE), (X, 2 * ONE), (X, -2 * ONE)],
}


@pytest.mark.filterwarnings("ignore::tracefn.errors.RetraceWarning")
@pytest.mark.parametrize("function", CALLS, ids=lambda f: f.__name__)
def test_as_eager(function):
    try:
        traced = assert_all_agree(function, *CALLS[function], *CALLS[function])
    except AssertionError as error:
        assert "NoneType" in str(error)  # the text of the error differs: its type does not
        traced = tracefn.function(function)
        for args in CALLS[function]:
            outcomes = [_outcome(f, args) for f in (traced, function)]
            assert outcomes[0] == outcomes[1]
    signatures = {tuple(getattr(a, "shape", a) for a in args) for args in CALLS[function]}
    assert traced.tracing_count == len(signatures)


def _outcome(function, args):
    try:
        return repr(function(*args))
    except Exception as error:
        return type(error)


@pytest.mark.parametrize("function", [none_is_used, nothing_is_unpacked])
def test_none_raises_where_it_is_none(function):
    traced = tracefn.function(function)
    for t in (ONE, MINUS_ONE, ONE):
        assert _outcome(traced, (X, t)) == _outcome(function, (X, t))
    assert traced.tracing_count == 1


@pytest.mark.parametrize("mode", ["off", "now"])
def test_machine_code(mode):
    traced = tracefn.function(nearest, jit=mode)
    for limit in (ONE, 0 * ONE):
        assert repr(traced(POINTS, limit)) == repr(nearest(POINTS, limit))


def test_print_at_each_call(capsys):
    @tracefn.function
    def f(t):
        tracefn.print("it is", "ok" if t > 0 else "bad")
        return t

    f(ONE), f(MINUS_ONE)
    assert capsys.readouterr().out == "it is ok\nit is bad\n"


def test_attributes():
    class Search:
        best = None

        def __call__(self, x, limit):
            self.best = None
            for i in range(len(x)):
                if x[i] > limit:
                    self.best = x[i] * 2
            return x

    search = Search()
    traced = tracefn.function(search)
    traced(LONG, np.float64(48.5))
    assert search.best == 98
    traced(LONG, np.float64(50))
    assert search.best is None


@pytest.mark.parametrize(
    "function",
    [
        lambda x: tracefn.map_fn(lambda v: "a" if v > 0 else "b", x),
        lambda x: tracefn.scan(lambda c, v: (c, (v, None if v > 0 else v)), 0, x),
        lambda x: list("a" if x[0] > 0 else "bc"),
    ],
)
def test_what_is_refused(function):
    with pytest.raises(ControlFlowError, match="as a traced value decides"):
        tracefn.function(function)(X)


def test_it_shows_what_it_may_be(capsys):
    @tracefn.function
    def f(x):
        y = x if x.sum() > 0 else None
        print(y, f"{y}")
        return y

    f(X)
    shown = capsys.readouterr().out
    assert shown.startswith("None or Tensor(") and "'None' or Tensor(" in shown


def test_rounds_that_leave_a_dict_of_other_keys():
    def lowest(x):
        best = {"loss": np.inf, "at": 0}
        values = np.unique(x)
        for i in range(1, len(values)):
            if values[i] < best["loss"]:
                best = {"loss": values[i], "at": i, "middle": values[i] / 2}
        return best["loss"]

    traced = tracefn.function(lowest)
    for x in (X, np.ones(3), np.arange(7.0), X[::-1]):
        assert repr(traced(x)) == repr(lowest(x))
