"""Python's control flow on traced values: the eager answer with one trace, and errors that name what does not fit."""

import inspect
import traceback

import numpy as np
import pytest
import tracefn
from agreement import assert_alike
from tracefn.errors import ControlFlowError, TensorBoolError, TensorConversionError
from tracefn.trace.autograph.hooks.variables import Variables

LIMIT = np.array([1.0, 2.0])


def relu(x):
    return x if x.sum() > 0 else -x


def branches(x):
    if x.sum() > 0:
        y = x * 2
    elif x.sum() < -5:
        y = x * 3
    else:
        y = x * 4
    return y + 1


def early_return(x):
    if x[0] > 0:
        return x + 1
    y = x * 2
    if y[0] < -10:
        return y
    return y - 1


def tanh_until_small(x):
    while np.sum(x) > 1:
        x = np.tanh(x)
    return x


def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def skip_and_stop(x, n):
    s = x * 0
    for i in range(n):
        if i % 2 == 0:
            continue
        s = s + x * i
        if s.sum() > 20:
            break
    else:
        s = -s
    return s


def best_row(x):
    best = x[0]
    for row in x:
        if row.sum() > best.sum():
            best = row
    return best


def many_rows(x):
    total = 0.0
    for row in x:
        total = total + row[0]
    return total


def logic(a, b):
    return (1 if a > 0 and not b > 0 or a == b else 0), (a and b), (a or b), 0 < a < b


def loop_with_exit_in_the_middle(x):
    n = 0
    while True:
        x = x / 2
        n += 1
        if x < 1:
            break
    return x, n


def newton(a):
    x = a
    for _ in range(50):
        following = 0.5 * (x + a / x)
        if abs(following - x) < 1e-12:
            break
        x = following
    return x


def helper(x):
    if x.sum() > 0:
        return x
    return -x


def calls_a_helper(x):
    return helper(x) * helper(-x)


def captured(x):
    if x.sum() > LIMIT.sum():
        return x - LIMIT
    return x


def fizzbuzz(n):
    out = 0
    for i in range(n):
        if i % 15 == 0:
            out = out + 15
        elif i % 3 == 0:
            out = out + 3
        elif i % 5 == 0:
            out = out + 5
    return out


def escape_time(c):
    z, n = c, 0
    while abs(z) < 2 and n < 50:
        z = z * z + c
        n += 1
    return n


def find(x, wanted):
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            if x[i, j] == wanted:
                return i, j
    return -1, -1


def in_place(x):
    y = x * 2
    total = x.sum()
    if total > 0:
        total += 1
    y += total
    for _ in range(3):
        y *= 2
    return y


def walrus(x):
    if (total := x.sum()) > 0:
        total = total * 2
    while (small := total / 2) > 1:
        total = small
    return total, small


def comprehension(x):
    rows = [row if row.sum() > 0 else -row for row in x]
    return np.stack(rows)


def plain_python_stays(x, flag, items):
    if flag and items:
        for item in items:
            x = x + item
    return x if x.sum() > 0 else x * 0


def nested_function(x):
    def inner(y):
        if y > 0:
            return y
        return y * y

    return inner(x) + inner(-x)


scalar_in_lambda = lambda x: x if x > 0 else -x  # noqa: E731


class Model:
    scale = 2.0

    def gate(self, x):
        if x.sum() > 0:
            return x * self.scale
        return x

    @tracefn.function
    def run(self, x):
        return self.gate(x) + 1


def calls_itself(x, n):
    if n == 0:
        return x
    if x.sum() > 0:
        return calls_itself(x - 1, n - 1)
    return calls_itself(x + 1, n - 1)


def with_annotations(x: np.ndarray, k: int = 2) -> np.ndarray:
    """Has a docstring."""
    y: np.ndarray = x
    if x.sum() > 0:
        y = x * k
    return y


def swaps(x, y):
    if x.sum() > y.sum():
        x, y = y, x
    return x, y


def in_blocks(x):
    with np.errstate(all="ignore"):
        try:
            if x.sum() > 0:
                y = x
            else:
                y = -x
        finally:
            pass
    return y


lambda_with_default = lambda x, k=3: x * k if x > 0 else x  # noqa: E731

A = np.arange(6.0).reshape(3, 2)
CASES = [
    (relu, [[np.ones(2)], [-np.ones(2)]]),
    (branches, [[np.ones(2)], [-np.ones(2)], [-9 * np.ones(2)]]),
    (early_return, [[np.ones(2)], [-np.ones(2)], [-9 * np.ones(2)]]),
    (tanh_until_small, [[np.ones(3)], [np.zeros(3)]]),
    (collatz, [[np.int64(7)], [np.int64(1)], [np.int64(27)]]),
    (skip_and_stop, [[np.ones(2), np.int64(5)], [np.ones(2), np.int64(0)], [9 * np.ones(2), np.int64(50)]]),
    (best_row, [[A], [A[::-1].copy()]]),
    (many_rows, [[np.ones((100, 2))]]),
    (logic, [[np.float64(1), np.float64(0)], [np.float64(1), np.float64(2)], [np.float64(2), np.float64(2)]]),
    (loop_with_exit_in_the_middle, [[np.float64(100)], [np.float64(0.1)]]),
    (newton, [[np.float64(2)], [np.float64(9)]]),
    (calls_a_helper, [[np.ones(2)], [-np.ones(2)]]),
    (captured, [[np.ones(2)], [5 * np.ones(2)]]),
    (fizzbuzz, [[np.int64(20)], [np.int64(3)], [np.int64(0)]]),
    (escape_time, [[np.complex128(0.1)], [np.complex128(1 + 1j)]]),
    (find, [[A, np.float64(3)], [A, np.float64(9)], [A, np.float64(0)]]),
    (in_place, [[np.ones(2)], [-np.ones(2)]]),
    (walrus, [[np.ones(9)], [-np.ones(9)]]),
    (comprehension, [[A - 2]]),
    (plain_python_stays, [[np.ones(2), True, (1, 2)]]),
    (nested_function, [[np.float64(2)], [np.float64(-2)]]),
    (scalar_in_lambda, [[np.float64(2)], [np.float64(-2)]]),
    (lambda_with_default, [[np.float64(2)], [np.float64(-2)]]),
    (calls_itself, [[np.ones(2), 3], [-np.ones(2), 3]]),
    (with_annotations, [[np.ones(2)], [-np.ones(2)]]),
    (swaps, [[np.ones(2), np.zeros(2)], [np.zeros(2), np.ones(2)]]),
    (in_blocks, [[np.ones(2)], [-np.ones(2)]]),
    (lambda x: writes_in_a_branch(x), [[np.ones(3)], [-np.ones(3)]]),
    (lambda x: set_in_a_loop(x), [[np.ones(3)], [np.ones(3) * 9]]),
]


@pytest.mark.parametrize(("eager", "calls"), CASES, ids=lambda v: getattr(v, "__name__", ""))
def test_same_as_eager_with_one_trace(eager, calls):
    f = tracefn.function(eager)
    for _ in range(2):
        for call in calls:
            got, wanted = f(*call), eager(*call)
            assert type(got) is type(wanted) or np.ndim(wanted) == 0
            for a, b in zip(got, wanted, strict=True) if isinstance(wanted, tuple) else [(got, wanted)]:
                np.testing.assert_array_equal(a, b)
    assert f.tracing_count == 1
    if eager is not many_rows:  # unrolls
        with pytest.raises(TensorConversionError):
            tracefn.function(eager, autograph=False)(*calls[0])


def test_methods():
    model = Model()
    for x in (np.ones(2), -np.ones(2)):
        np.testing.assert_array_equal(model.run(x), model.gate(x) + 1)
    model.scale = 5.0
    np.testing.assert_array_equal(model.run(np.ones(2)), [6, 6])


def test_captured_array_is_read_at_every_call():
    f = tracefn.function(captured)
    f(np.ones(2))
    LIMIT[:] = 0
    try:
        np.testing.assert_array_equal(f(np.ones(2)), captured(np.ones(2)))
    finally:
        LIMIT[:] = [1.0, 2.0]


def test_a_traceback_shows_the_users_line():
    def fails(x):
        if x.sum() > 0:
            return x
        return np.linalg.inv(x) @ x.reshape(99)

    with pytest.raises(ValueError, match="reshape") as raised:
        tracefn.function(fails)(-np.ones((2, 2)) + np.eye(2))
    lines = [(frame.filename, frame.lineno) for frame in traceback.extract_tb(raised.value.__traceback__)]
    assert (inspect.getsourcefile(fails), fails.__code__.co_firstlineno + 3) in lines


def set_in_one_branch(x):
    if x.sum() > 0:
        y = x
    return y


def two_on_one_path(x):
    if x.sum() > 0:
        return x, x
    return x


def different_dtypes(x):
    if x.sum() > 0:
        y = x
    else:
        y = x.astype(np.float32)
    return y


def growing_dtype(x):
    while x.sum() > 1:
        x = x.astype(np.float32) / 2
    return x


def set_in_a_loop(x):
    while x.sum() > 1:
        y = x * 2
        x = x / 2
    return y


def writes_in_a_branch(x):
    y = x * 2
    if x.sum() > 0:
        y += 1
    return y


def raises_in_a_branch(x):
    if x.sum() < 0:
        raise ValueError(f"negative: {x.sum():.1f}")
    return x


def appends_in_a_loop(x):
    rows = []
    while x.sum() > 1:
        rows.append(1)
        x = x / 2
    return rows


def sets_an_item_in_a_branch(x):
    table = {}
    if x.sum() > 0:
        table["k"] = 1
    return table


def sets_a_global_in_a_loop(x, n):
    global LIMIT
    for _ in range(n):
        LIMIT = x
    return x


class Counter:
    def __init__(self):
        self.count, self.log = 0, []

    def bump(self):
        self.count += 1

    def note(self, x):
        self.log.append(1)
        return x


COUNTER = Counter()


def calls_what_sets_an_attribute(x):
    if x.sum() > 0:
        COUNTER.bump()
    return x


def note_in_global(x):
    return COUNTER.note(x)


def calls_what_appends(x):
    while x.sum() > 1:
        x = COUNTER.note(x) / 2
    return x


def calls_through_a_helper(x):
    return note_in_global(x) if x.sum() > 0 else x


def test_what_does_not_fit_is_named():
    f = tracefn.function(calls_what_appends)
    with pytest.raises(ControlFlowError, match=r"changes the structure of `list`"):
        f(np.ones(3))
    assert f.concrete_functions == []
    with tracefn.config.on_unsupported("eager"):
        COUNTER.log.clear()
        np.testing.assert_array_equal([f(np.ones(3)), f(np.ones(3))], np.full((2, 3), 0.25))
        assert COUNTER.log == [1] * 4


@pytest.mark.parametrize(
    "function",
    [
        calls_through_a_helper,
        sets_an_item_in_a_branch,
        two_on_one_path,
        different_dtypes,
        growing_dtype,
    ],
)
def test_values_that_are_unlike(function):
    logged = {}
    for called in (function, tracefn.function(function)):
        COUNTER.log.clear()
        logged[called] = [called(x) for x in (np.ones(3), -np.ones(3), np.full(3, 0.1))], list(COUNTER.log)
    eager, traced = logged.values()
    assert_alike(traced, eager)


def test_a_variable_that_is_not_set_is_an_error_at_the_call_that_finds_it_so():
    f, g = tracefn.function(set_in_one_branch), tracefn.function(set_in_a_loop)
    for function, eager in ((f, set_in_one_branch), (g, set_in_a_loop)):
        np.testing.assert_array_equal(function(np.ones(3)), eager(np.ones(3)))
        with pytest.raises(UnboundLocalError, match="'y' where it is not associated with a value$"):
            function(-np.ones(3))
        assert function.tracing_count == 1


def test_raise_is_at_the_call_with_its_values():
    f = tracefn.function(raises_in_a_branch)
    np.testing.assert_array_equal(f(np.ones(3)), np.ones(3))
    with pytest.raises(ValueError, match=r"^negative: -3\.0$"):
        f(-np.ones(3))
    assert f.tracing_count == 1


def test_what_a_staged_body_changes_is_carried():
    f = tracefn.function(calls_what_sets_an_attribute)
    COUNTER.count = 0
    f(np.ones(3)), f(np.ones(3)), f(-np.ones(3))
    assert COUNTER.count == 2
    g, last = tracefn.function(sets_a_global_in_a_loop), LIMIT
    g(np.full(2, 5.0), np.int64(2))
    np.testing.assert_array_equal(LIMIT, np.full(2, 5.0))
    g(last, np.int64(1))
    rows = tracefn.function(appends_in_a_loop)
    assert (rows(np.full(3, 4.0)), rows(np.zeros(3))) == (appends_in_a_loop(np.full(3, 4.0)), [])


def test_what_cannot_be_rewritten_says_what_to_do():
    namespace = {}
    exec("def f(x):\n    return 1 if x > 0 else 2", namespace)  # no source to read
    with tracefn.events.record() as seen, pytest.raises(TensorBoolError, match="np.where"):
        tracefn.function(namespace["f"])(np.float64(1))
    assert ["source" in e.cause for e in seen if e.type == "autograph.fallback"] == [True]


def test_code_can_be_read():
    text = tracefn.autograph.to_code(scalar_in_lambda)
    name = "tracefn_autograph"
    assert text == f"def lambda_(x):\n    return {name}.if_exp({name}.gt(x, 0), lambda: x, lambda: {name}.neg(x))"
    with pytest.raises(ValueError, match="source"):
        tracefn.autograph.to_code(eval("lambda x: x"))


def test_an_if_without_else_makes_one_function():
    def clipped(x):
        if x > 1:
            x = np.float64(1)
        return x

    text = tracefn.autograph.to_code(clipped)
    assert "if_true, tracefn_autograph.nothing, get_state" in text and "if_false" not in text
    assert [tracefn.function(clipped)(np.float64(n)) for n in (0, 2)] == [0, 1]


def test_an_array_outside_that_is_rebound_is_read_and_written_at_each_call():
    last = np.zeros(2)

    @tracefn.function
    def f(x):
        nonlocal last
        last = last + x
        return last * 1

    for n in (1, 2, 3):
        np.testing.assert_array_equal(f(np.ones(2)), [n, n])
        np.testing.assert_array_equal(last, [n, n])
    assert f.tracing_count == 1


def reads_before_it_binds(x):
    y = z  # noqa: F821
    z = x  # noqa: F841
    return y


def deletes(x):
    y = x
    del y
    return y  # noqa: F821


def returns_in_the_middle(x):
    y = x + 1
    return y
    return x


def asserts_and_binds(x):
    assert x.ndim == 1
    print((y := x) is x)
    return y


def binds_perhaps(x):
    _ = [False and (y := x)]
    return y


@pytest.mark.parametrize(
    "function", [reads_before_it_binds, deletes, returns_in_the_middle, asserts_and_binds, binds_perhaps]
)
def test_what_is_bound_where_no_statement_branches_is_as_in_python(function):
    try:
        expected = function(np.ones(3))
    except UnboundLocalError as error:
        with pytest.raises(UnboundLocalError, match=f"^{error}$"):
            tracefn.function(function)(np.ones(3))
    else:
        np.testing.assert_array_equal(tracefn.function(function)(np.ones(3)), expected)


def test_other_ways_to_stage_are_not_tried_where_none_can_help(monkeypatch):
    staged = []
    for_loop = Variables.for_loop
    monkeypatch.setattr(Variables, "for_loop", lambda self, *a, **k: (staged.append(1), for_loop(self, *a, **k))[1])

    def moved(p):
        for i in range(8):
            for j in range(8):
                p[i] = p[i] + np.sin(p[j]) * 0.1 + np.cos(p[j]) * 0.2
        return p

    x = [np.linspace(0, 1, 3) + k for k in range(8)]
    same = moved(list(x))
    np.testing.assert_allclose(tracefn.function(moved, jit="off")(list(x)), same, rtol=1e-13)
    assert len(staged) == 3  # the outer loop, the inner one in it, and that of an unrolled round
