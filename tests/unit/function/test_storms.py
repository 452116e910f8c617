"""Functions of which nearly every call would need a trace of its own: calls wait for another one like them."""

from types import BuiltinFunctionType

import numpy as np
import pytest
import tracefn
from tracefn.function import cache
from tracefn.function.execution import Execution
from tracefn.function.fallback import eager_heat, early, storms
from tracefn.function.fallback.storms import FEW, FEW_CALLS, LAST, LEAF_NS, LOOK_UP_NS, PATIENCE_NS, SPENT, Storm
from tracefn.function.tracing import new_trace
from tracefn.trace.signature.call import CallSignature

pytestmark = pytest.mark.filterwarnings(
    "ignore::tracefn.errors.FallbackWarning", "ignore::tracefn.errors.RetraceWarning"
)
X = np.arange(3.0)


def traced(function):
    return tracefn.function(function, on_unsupported="eager")


def test_after_traces_in_vain_a_call_is_traced_when_one_like_it_came_before():
    f = traced(lambda x, name: (x.sum(), name))
    for number in range(60):
        assert f(X, str(number)) == (3.0, str(number))
    assert f.tracing_count == LAST
    (waiting,) = f.fallbacks
    assert waiting.calls == 60 - LAST and "came before" in waiting.reason
    for number in range(LAST, 60):
        assert f(X, str(number)) == (3.0, str(number))
    assert f.tracing_count == 60 and waiting.calls == 60 - LAST


def test_no_limit_of_traces_is_a_trace_for_each_call():
    f = tracefn.function(lambda x, name: (x.sum(), name), on_unsupported="eager", max_traces=None)
    for number in range(60):
        f(X, str(number))
    assert f.tracing_count == 60 and not f.fallbacks


def test_earlier_traces_are_asked_for_guards_in_groups(monkeypatch):
    asked, has_guards = [], Execution.has_guards
    monkeypatch.setattr(Execution, "has_guards", property(lambda e: asked.append(e) or has_guards.fget(e)))
    f = tracefn.function(lambda x: x + 1, max_traces=None, jit="off")
    counts = []
    for length in range(1, 41):
        asked.clear()
        f(np.ones(length))
        counts.append(len(asked))
    assert f.tracing_count == 40 and counts[9] == counts[39] > 0
    for number in range(1, 41):
        f.evict(number)
    f(np.ones(41))
    assert f.tracing_count == 41


def test_traces_that_are_used_end_it():
    f = traced(lambda x, name: (x.sum(), name))
    for number in range(40):
        f(X, str(number))
        f(X, "often")
    f(X, "new")
    assert f.tracing_count < 40
    for _ in range(3):
        f(X, "19")
    count = f.tracing_count
    f(X, "newer")
    assert f.tracing_count == count + 1


def test_instances_count_together():
    class Model:
        def __init__(self, n):
            self.n = n

        @traced
        def step(self, x):
            self.n += 1
            return x * self.n

    models = [Model(n) for n in range(40)]
    assert all((m.step(X) == X * (n + 1)).all() for n, m in enumerate(models))
    assert sum(m.step.tracing_count for m in models) == LAST
    for _ in range(2):
        assert all((m.step(X) == X * m.n).all() for m in models)
    assert [m.n for m in models] == [n + 3 for n in range(40)]


def test_objects_that_go_at_once_have_no_functions_of_their_own():
    class Board:
        def __init__(self, cells):
            self.cells = cells

        @traced
        def put(self, i):
            return Board([*self.cells[:i], 1, *self.cells[i + 1 :]])

        @traced
        def is_full(self):
            np.zeros(1).setflags(write=True)  # which is refused
            return all(self.cells)

    seen, kept = [], []
    for _ in range(12):
        board = Board([0] * 4)
        for i in range(4):
            board = board.put(i)
            seen.append(board.is_full())
        kept.append(board)
    assert seen == [False, False, False, True] * 12
    full, put = vars(Board)["is_full"], vars(Board)["put"]
    assert len(full._instances) < len(kept) / 2 and len(put._instances) < LAST
    assert all(b.is_full() for b in kept) and kept[-1].is_full.__func__ is full
    full.clear_cache()
    assert kept[-1].is_full() and kept[-1].is_full.__func__ is not full


def test_traces_that_serve_two_calls_each_are_made_when_two_like_it_came_before():
    f = traced(lambda x, name: (x.sum(), name))
    for number in range(60):
        assert f(X, str(number)) == f(X, str(number)) == (3.0, str(number))
    assert f.tracing_count == LAST
    (waiting,) = f.fallbacks
    assert waiting.calls == 2 * (60 - LAST) and "at most 2 calls each" in waiting.reason
    f(X, "59")
    assert f.tracing_count == LAST + 1


def test_an_error_is_raised_and_counted_where_no_function_may_run_eagerly():
    f = tracefn.function(lambda x, name: (x.sum(), name), on_unsupported="error")
    for number in range(LAST + 4):
        f(X, str(number))
    assert f.tracing_count == LAST + 4


def test_clear_cache_forgets_it():
    f = traced(lambda x, name: (x.sum(), name))
    for number in range(LAST + 4):
        f(X, str(number))
    f.clear_cache()
    f(X, "new")
    assert f.tracing_count == LAST + 1 and f.fallbacks == []


@pytest.fixture
def installed(monkeypatch):
    """Functions are those of an installed package."""
    monkeypatch.setattr(early, "is_installed", lambda file: True)


@pytest.fixture
def impatient(monkeypatch, installed):
    """Traces in vain have taken too long, whatever they took."""
    monkeypatch.setattr(storms, "PATIENCE_NS", -(10**18))


def test_few_traces_in_vain_that_took_long_make_one(impatient, monkeypatch):
    ran, takes = Storm.ran, {"ns": 0}
    monkeypatch.setattr(Storm, "ran", lambda storm, call, *ns: ran(storm, call, takes["ns"], takes["ns"]))
    f = traced(lambda x, name: (x.sum(), name))
    for number in range(7):
        assert f(X, str(number)) == (3.0, str(number))
    (waiting,) = f.fallbacks
    assert f.tracing_count == 4 and "its last 4 traces served one call each and took" in waiting.reason
    for takes["ns"], count in (0, 4), (10**9, 4), (0, 5):  # the second of them has taken longer than a trace
        f(X, "6")
        assert f.tracing_count == count


def test_many_waiting_calls_make_all_run_eagerly(impatient, monkeypatch):
    monkeypatch.setattr(storms, "MAX_LOOK_UPS_NS", 20 * (LOOK_UP_NS + 2 * LEAF_NS))
    f = traced(lambda x, name: (x.sum(), name))
    for _ in range(10):
        f(X, "often")
    for number in range(60):
        assert f(X, str(number)) == (3.0, str(number))
    waiting, always = f.fallbacks
    assert (f.tracing_count, waiting.calls, always.calls) == (1 + FEW, 20, 60 - FEW - 20)
    assert always.signature_text == "any" and f(X, "often") == (3.0, "often")
    assert f.concrete_functions[0].calls.count == 11
    f.clear_cache()
    f(X, "new")
    assert f.tracing_count == FEW + 2


def test_dear_traces_of_one_function_make_one_sooner(monkeypatch, installed):
    monkeypatch.setattr(storms, "OWN_PATIENCE", {3: ((8, 0), (4, 800), (2, 2000)), 6: ((10, 500),)})
    traced_in, takes = Storm.traced, {"ns": 100}
    monkeypatch.setattr(Storm, "traced", lambda storm, calls, _, arrays: traced_in(storm, calls, takes["ns"], arrays))
    for takes["ns"], made in (100, 8), (200, 4), (1000, 2):
        f = traced(lambda x, name: (x.sum(), name))
        for number in range(12):
            assert f(X, str(number)) == (3.0, str(number))
        assert f.tracing_count == made and "each and took" in f.fallbacks[0].reason
        for _ in range(2 * FEW_CALLS):
            f(X, str(made - 1))
        f(X, "new")
        assert f.tracing_count == made + 1  # a trace that serves many calls ends it
    takes["ns"] = 10**12
    f = traced(lambda x, name: (x.sum(), name))
    for number in range(6 * 12):
        assert f(X, str(number // 6)) == (3.0, str(number // 6))
    assert f.tracing_count == 10 and "at most 6 calls each and took" in f.fallbacks[0].reason


def test_methods_of_passing_objects_settle_and_drop_their_traces(monkeypatch):
    monkeypatch.setattr(storms, "OWN_PATIENCE_WITHOUT_ARRAYS", {3: ((4, 0),)})
    monkeypatch.setattr(storms, "MAX_LOOK_UPS_NS", 20 * (LOOK_UP_NS + 2 * LEAF_NS))
    monkeypatch.setattr(storms, "CHEAP_PART", 10**9)

    class Vector:
        def __init__(self, x):
            self.x = x

        @traced
        def plus(self, other):
            return Vector(self.x + other.x)

    total = Vector(0.0)
    for number in range(80):
        total = total.plus(Vector(float(number)))
    assert total.x == sum(range(80)) and vars(Vector)["plus"].tracing_count <= 4
    plus = vars(Vector)["plus"]
    assert "calls waited for one like them" in plus.fallbacks[-1].reason and not plus.concrete_functions
    assert total.plus.__func__ is plus and Vector.plus is plus
    total = total.plus(Vector(1.0))
    assert total.x == sum(range(80)) + 1 and plus.fallbacks[-1].calls > 50
    plus.clear_cache()
    assert total.plus.__func__ is not plus


def test_machine_code_takes_all_calls_and_methods_of_settled_functions(monkeypatch):
    monkeypatch.setattr(storms, "OWN_PATIENCE_WITHOUT_ARRAYS", {3: ((4, 0),)})
    monkeypatch.setattr(storms, "MAX_LOOK_UPS_NS", 20 * (LOOK_UP_NS + 2 * LEAF_NS))
    monkeypatch.setattr(storms, "CHEAP_PART", 10**9)
    monkeypatch.setattr(eager_heat, "MANY", 20)
    monkeypatch.setattr(eager_heat, "later", lambda reference, build: build(reference()))

    class Vector:
        def __init__(self, x):
            self.x = x

        @traced
        def plus(self, other=None, *, more=0.0):
            return Vector(self.x + (more if other is None else other.x))

    with tracefn.config.jit("auto"):
        total = Vector(0.0)
        for number in range(400):
            total = total.plus(Vector(float(number)))
    plus = vars(Vector)["plus"]
    called, read = plus._special["__call__"].__func__, plus._special["__get__"]
    assert isinstance(called, BuiltinFunctionType) and isinstance(read, BuiltinFunctionType)
    assert total.x == sum(range(400)) and total.plus(more=2.0).x == total.plus(Vector(2.0)).x == total.x + 2
    assert total.plus.__func__ is plus and Vector.plus is plus and plus.fallbacks[-1].calls > 350
    with pytest.raises(TypeError, match="unexpected keyword argument 'less'"):
        total.plus(less=1)
    plus.clear_cache()
    assert total.plus.__func__ is not plus and total.plus(more=1.0).x == total.x + 1


def test_traces_in_vain_of_all_functions_of_packages_count_together(monkeypatch, installed):
    SPENT.clear()
    monkeypatch.setattr(storms, "PATIENT_PART", 10**18)
    first, second = traced(lambda x, name: name), traced(lambda x, name: name)
    monkeypatch.setattr(SPENT, "in_vain_ns", PATIENCE_NS - 1)
    for number in range(FEW + 3):
        first(X, str(number))
        second(X, "often")
    assert first.tracing_count == FEW + 1 and second.tracing_count == 1 and not second.fallbacks
    for number in range(FEW + 2):
        second(X, str(number))
    assert second.tracing_count == FEW + 1


def test_those_of_the_users_own_functions_count_alone(monkeypatch):
    monkeypatch.setattr(SPENT, "in_vain_ns", 10**18)
    f = traced(lambda x, name: name)
    for number in range(FEW + 3):
        f(X, str(number))
    assert f.tracing_count == FEW + 3


def test_more_kinds_of_calls_in_turn_than_traces_are_kept_are_traced_less_and_less():
    f = tracefn.function(lambda x, name: (x.sum(), name), on_unsupported="eager", max_traces=8)
    for number in [n for _ in range(100) for n in range(10)]:
        assert all(f(X, str(number)) == (3.0, str(number)) for _ in range(FEW_CALLS + 1))
    (waiting,) = f.fallbacks
    assert f.tracing_count < 6 * LAST and "went as no more are kept" in waiting.reason
    f.clear_cache()
    f(X, "new")
    assert len(f.concrete_functions) == 1


def test_an_object_in_the_place_of_one_that_is_gone_is_another():
    class Model:
        @traced
        def step(self, x):
            return x + 1

    with tracefn.events.record() as events:
        for _ in range(4 * LAST):
            Model().step(X)
    assert sum(event.type == "trace.started" for event in events) == LAST


def test_traces_without_arrays_have_a_budget_of_their_own(monkeypatch):
    monkeypatch.setattr(storms, "OWN_PATIENCE_WITHOUT_ARRAYS", {FEW_CALLS: ((2, 0),)})
    numbers, arrays = traced(lambda x, name: (x * 2, name)), traced(lambda x, name: (x * 2, name))
    made = traced(lambda n, name: (np.zeros(n).sum(), name))
    for number in range(6):
        assert numbers(1.5, str(number)) == numbers(np.float64(1.5), str(number)) == (3.0, str(number))
        assert arrays(X, str(number))[1] == made(2, str(number))[1] == str(number)
    assert (numbers.tracing_count, arrays.tracing_count, made.tracing_count) == (2, 6, 6)


def test_traces_of_all_functions_without_arrays_count_together(monkeypatch, installed):
    monkeypatch.setattr(storms, "PATIENCE_WITHOUT_ARRAYS_NS", -(10**18))
    numbers, arrays = traced(lambda x, name: (x * 2, name)), traced(lambda x, name: (x * 2, name))
    for number in range(FEW):
        numbers(1.5, str(number))
        arrays(X, str(number))
    assert (numbers.tracing_count, arrays.tracing_count) == (1, FEW)
    assert "its last trace served one call and took" in numbers.fallbacks[0].reason


def test_a_recursion_of_calls_that_wait_counts_its_time_once(impatient, monkeypatch):
    ran, own = Storm.ran, []
    monkeypatch.setattr(Storm, "ran", lambda storm, *given: own.append(given[1:]) or ran(storm, *given))

    @traced
    def nested(x, name):
        return x.sum() + (nested(x, name[1:]) if len(name) > 1 else 0.0)

    for number in range(FEW):
        nested(X, f"{number}")
    assert nested(X, "abcdefgh") == 8 * 3.0 and len(own) == 8
    assert sum(alone for _, alone in own) == own[-1][0]
    assert nested._storm.ran_ns == own[-1][0]


def test_instances_made_for_each_call_make_few_traces_and_no_functions(monkeypatch):
    monkeypatch.setattr(storms, "OWN_PATIENCE", {FEW_CALLS: ((4, 0),)})

    class Model:
        @traced
        def fit(self, x, y):
            self.slope = (x * y).sum() / (x * x).sum()
            return self

        @traced
        def predict(self, x):
            return self.slope * x

    with tracefn.events.record() as events:
        for number in range(200):
            assert (Model().fit(X, number * X).predict(X) == number * X).all()
    assert sum(event.type == "trace.started" for event in events) <= 8
    assert len(vars(Model)["fit"]._instances) + len(vars(Model)["predict"]._instances) <= 8


@pytest.mark.parametrize("took_ns, made", [(10**12, 4), (1, 6)])
def test_traces_that_took_longer_than_their_many_calls_make_one(took_ns, made, monkeypatch):
    monkeypatch.setattr(storms, "OWN_PATIENCE", {FEW_CALLS: (), 256: ((4, 0),)})
    traced_in = Storm.traced
    monkeypatch.setattr(Storm, "traced", lambda storm, calls, _, arrays: traced_in(storm, calls, took_ns, arrays))
    f = traced(lambda x, name: (x.sum(), name))
    for number in range(6):
        assert all(f(X, str(number)) == (3.0, str(number)) for _ in range(70))
    assert f.tracing_count == made


def test_small_functions_of_numbers_keep_no_trace_where_other_calls_run_eagerly(monkeypatch):
    monkeypatch.setattr(storms, "OWN_PATIENCE_WITHOUT_ARRAYS", {FEW_CALLS: ((4, 0),)})
    monkeypatch.setattr(storms, "MAX_LOOK_UPS_NS", 20 * (LOOK_UP_NS + 2 * LEAF_NS))
    monkeypatch.setattr(storms, "CHEAP_PART", 10**9)
    for small_ns, kept in (10**12, 0), (0, 1):
        monkeypatch.setattr(storms, "SMALL_NS", small_ns)

        class Scale:
            @traced
            def of(self, x, name):
                return x * 2, name

        scales = Scale(), Scale()
        for scale in scales:
            assert all(scale.of(1.5, "often") == (3.0, "often") for _ in range(10))
        for number in range(40):
            assert scales[0].of(1.5, str(number)) == (3.0, str(number))
        assert vars(Scale)["of"].fallbacks[-1].signature_text == "any"
        assert [len(scale.of.concrete_functions) for scale in scales] == [kept, kept]
        assert scales[0].of(1.5, "often") == scales[1].of(1.5, "often") == (3.0, "often")


def test_a_trace_beyond_the_keys_that_are_remembered_costs_no_more(monkeypatch):
    monkeypatch.setattr(cache, "MAX_KEYS", 8)
    asked, key = [], CallSignature.key
    monkeypatch.setattr(CallSignature, "key", lambda self: asked.append(self) or key(self))
    f = tracefn.function(lambda x: x + 1, max_traces=None, jit="off")
    counts = []
    for length in range(1, 61):
        asked.clear()
        f(np.ones(length))
        counts.append(len(asked))
    assert counts[59] == counts[29]
    for length in range(1, 61):
        f(np.ones(length))
    assert f.tracing_count == 60


def test_traces_of_one_signature_are_found_when_there_are_more_than_keys(monkeypatch):
    monkeypatch.setattr(cache, "MAX_KEYS", 8)
    switch = {"mode": "up"}

    @tracefn.function(max_traces=None, jit="off")
    def f(x):
        return x + 1 if switch["mode"] == "up" else x - 1

    for mode in ("up", "down"):
        switch["mode"] = mode
        f(X)
    for length in range(4, 30):
        f(np.ones(length))
    made = f.tracing_count
    for mode, moved in (("up", X + 1), ("down", X - 1)):
        switch["mode"] = mode
        np.testing.assert_array_equal(f(X), moved)
    assert f.tracing_count == made == 28


def test_native_code_that_is_made_at_once_is_no_time_in_vain(monkeypatch):
    clock, took, making_ns = [0], [], 10**12
    monkeypatch.setattr("time.thread_time_ns", lambda: clock[0])
    monkeypatch.setattr(new_trace, "native_now", lambda execution: clock.append(clock.pop() + making_ns))
    monkeypatch.setattr(Storm, "traced", lambda storm, calls, ns, arrays: took.append(ns))
    f = tracefn.function(lambda x: x + 1, on_unsupported="eager", jit="now")
    f(X)
    assert took == [0] and SPENT.compiled_ns == making_ns
