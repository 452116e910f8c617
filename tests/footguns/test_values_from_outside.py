"""Other tracers keep what a global, a closure or a default held when they traced. Here each call sees what is there."""

import types

import numpy as np
import pytest
import tracefn

SCALE = 2.0
WEIGHTS = np.ones(3)
config = types.SimpleNamespace(lr=0.5)


def same(traced, eager, *args):
    np.testing.assert_array_equal(traced(*args), eager(*args), strict=True)


def test_a_global_number_is_not_stale():
    global SCALE

    def eager(x):
        return x * SCALE

    f, x = tracefn.function(eager), np.arange(3.0)
    for SCALE in (2.0, 3.0, 2, True, np.float32(4)):  # noqa: B007
        same(f, eager, x)


def test_a_captured_array_that_is_changed_is_not_stale():
    def eager(x):
        return x + WEIGHTS

    f, x = tracefn.function(eager), np.arange(3.0)
    same(f, eager, x)
    WEIGHTS[1] = 7
    same(f, eager, x)
    WEIGHTS.sort()
    same(f, eager, x)
    assert f.tracing_count == 1


def test_a_captured_array_that_is_rebound_is_not_stale():
    global WEIGHTS

    def eager(x):
        return x + WEIGHTS

    f, x = tracefn.function(eager), np.arange(3.0)
    same(f, eager, x)
    for WEIGHTS, traces in (  # noqa: B007
        (np.full(3, 5.0), 1),
        (np.full(3, 5, np.float32), 2),
        (np.ones((2, 3)), 3),
        (np.arange(6.0)[::2], 3),
        (2.0, 4),
        (np.ones(3), 4),
    ):
        same(f, eager, x)
        assert f.tracing_count == traces


def test_functions_made_in_a_loop_see_the_last_value():
    def by_comprehension(x):
        return [f() for f in [lambda: x * i for i in range(3)]]  # noqa: B023

    def by_a_loop(x):
        functions = []
        for i in range(3):
            scale = i * 10

            def scaled(v):
                return v * scale + i  # noqa: B023

            functions.append(scaled)
        return [f(x) for f in functions]

    def by_defaults(x):
        return [f() for f in [lambda i=i: x * i for i in range(3)]]

    def before_an_assignment(x):
        if x.ndim == 1:
            scale = 1
            f = lambda: x * scale  # noqa: E731
        scale = 2
        return f()

    for eager in (by_comprehension, by_a_loop, by_defaults, before_an_assignment):
        same(tracefn.function(eager), eager, np.ones(2))


def test_traced_functions_made_in_a_loop():
    own = [tracefn.function(lambda x, k=k: x * k) for k in range(3)]
    shared = [tracefn.function(lambda x: x * k) for k in range(3)]  # noqa: B023
    assert [f(1.0) for f in own] == [0, 1, 2]
    assert [f(1.0) for f in shared] == [2, 2, 2]


def test_a_closure_that_changes_between_calls_is_not_stale():
    def counter():
        count = 0

        def advance():
            nonlocal count
            count += 1

        @tracefn.function
        def shifted(x):
            return x + count

        return advance, shifted

    advance, shifted = counter()
    found = []
    for _ in range(3):
        found.append(shifted(np.float64(10)))
        advance()
    assert found == [10, 11, 12]


def test_a_default_argument_that_is_changed_is_not_stale():
    def eager(x, bias=np.zeros(2), options={"scale": 1.0}):  # noqa: B006, B008
        return (x + bias) * options["scale"]

    f, x = tracefn.function(eager), np.ones(2)
    same(f, eager, x)
    eager.__defaults__[0][0] = 9
    same(f, eager, x)
    eager.__defaults__[1]["scale"] = 3.0
    same(f, eager, x)


def test_a_default_array_that_the_function_writes_into_keeps_what_it_wrote():
    def make():
        def running(x, total=np.zeros(2)):  # noqa: B008
            total += x
            return total.copy()

        return running

    eager, f = make(), tracefn.function(make())
    for _ in range(3):
        same(f, eager, np.ones(2))


def test_an_attribute_that_changes_is_not_stale():
    def eager(x):
        return x * config.lr

    f, x = tracefn.function(eager), np.ones(2)
    for config.lr in (0.5, 0.25, np.full(2, 4.0), np.zeros(2)):
        same(f, eager, x)


def test_a_function_that_is_redefined_is_not_stale():
    namespace = {"np": np, "tracefn": tracefn}
    exec("def helper(x):\n    return x + 1\n\n@tracefn.function\ndef f(x):\n    return helper(x)", namespace)
    assert namespace["f"](np.float64(1)) == 2
    exec("def helper(x):\n    return x * 10", namespace)
    assert namespace["f"](np.float64(1)) == 10


def test_an_array_in_a_list_or_dict_outside_is_not_stale():
    params = {"w": np.ones(2), "layers": [np.ones(2)]}

    def eager(x):
        return x @ params["w"] + params["layers"][0].sum() + len(params["layers"])

    f, x = tracefn.function(eager), np.ones(2)
    same(f, eager, x)
    params["w"][:] = 3
    same(f, eager, x)
    params["layers"][0] = np.full(2, 8.0)
    same(f, eager, x)
    params["layers"].append(np.zeros(2))
    same(f, eager, x)


named = 1.0


def binding_in_expressions(traced):
    inner = 0.0

    @traced
    def conditions(x):
        global named
        if (named := named + 2) > 2 and (part := x[0]) < 9:
            pass
        return x * part

    @traced
    def values(x):
        nonlocal inner
        global named
        y = x.sum() if (inner := inner + x[1]) > 4 else (named := x.max())
        return y + [(named := named + v) for v in (1, 2)][1] + (inner := inner + 1)

    return [conditions, values], lambda: inner


def test_names_of_outside_that_expressions_bind_are_written_at_each_call():
    global named
    seen, x = [], np.arange(3.0)
    for traced in (lambda f: f, tracefn.function):
        functions, inner = binding_in_expressions(traced)
        named = 1.0
        seen.append([(f(a).tolist(), named, inner()) for a in (x, x + 1, x) for f in functions])
    assert seen[0] == seen[1]


ROWS = np.array([(3, 0.5, "c"), (1, 1.5, "a"), (2, 2.5, "b")], [("id", "i4"), ("x", "f8"), ("name", "U2")])
OBJECTS = np.array([1, 2.5, "a"], object)


def _shift_by_rows():
    for i in range(len(ROWS)):
        ROWS[i]["x"] += i
    ROWS[0] = (7, ROWS["x"].sum(), "zz")
    return ROWS.copy()


@pytest.mark.parametrize(
    "read",
    [
        lambda: np.sort(ROWS, order="id")["name"],
        lambda: ROWS[1]["x"] * 2,
        lambda: ROWS.copy()["x"],
        lambda: np.concatenate([ROWS, ROWS[:1]])["id"],
        lambda: np.take(ROWS, [0])["name"],
        lambda: ROWS.tobytes(),
        lambda: (ROWS.shape, ROWS[ROWS["id"] > 1]["x"]),
        _shift_by_rows,
        lambda: OBJECTS.copy()[0],
        lambda: np.sum(OBJECTS[:2]),
    ],
)
def test_rows_and_objects_that_change_are_not_stale(read, falls_back):
    """Arrays of NumPy's own data types with fields are read at each call, whichever method or function takes them."""
    told = {}
    rows, objects = ROWS.copy(), OBJECTS.copy()
    for function in (read, tracefn.function(read)):
        ROWS[...], OBJECTS[...], told[function] = rows, objects, []
        for call in range(3):
            told[function] += [repr(function()), ROWS.tolist()]
            ROWS["id"] = ROWS["id"][::-1]
            ROWS["x"][0], ROWS["name"][1], OBJECTS[0] = call, "z", call + 5
    expected, found = told.values()
    assert found == expected
