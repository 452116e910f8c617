"""What-if: the logged calls are replayed on their keys, and a fix is proposed only where that proves it."""

from __future__ import annotations

import json
import logging
import threading
import warnings
from typing import Any

import numpy as np
import pytest
import tracefn
from hypothesis import given
from hypothesis import strategies as st
from tracefn.explain import advise
from tracefn.explain.policies import AS_IS, POLICIES
from tracefn.explain.replay import replay
from tracefn.function.history import call_log
from tracefn.function.history.call_log import CallLog
from tracefn.trace.signature import CallSignature

FLOATS = np.ones(3, np.float32)


def called(function, *calls, **options):
    f = tracefn.function(function, **options)
    for call in calls:
        f(*call)
    return f


def test_numbers_as_arrays_need_one_trace() -> None:
    f = called(lambda x, n: np.tanh(x) * n, *([FLOATS, n] for n in range(20)))
    table = f.what_if()
    outcome = table.of("scalars as arrays")
    assert (table.traces, outcome.traces, outcome.arguments, outcome.changes) == (20, 1, ("n",), ())
    assert 0 < outcome.saved_ns < table.cost_ns
    fix = advise(f)
    assert (fix.kind, fix.code) == ("cast", "np.float32(n)")
    assert fix.sentence == "pass n as np.float32(n) – 19 of 20 traces would not have happened"
    again = called(f.python_function, *([FLOATS, eval(fix.code, {"np": np, "n": n})] for n in range(20)))
    assert again.tracing_count == 1
    for n in range(3):
        np.testing.assert_array_equal(again(FLOATS, np.float32(n)), f(FLOATS, n), strict=True)


def test_the_cast_keeps_the_dtype_of_results() -> None:
    f = called(lambda x, n: x * n, *([np.ones(2), n] for n in range(3)))
    assert advise(f).code == "np.asarray(n)"


def test_a_number_that_decides_the_graph_is_no_needless_retrace() -> None:
    f = called(lambda x, n: [x + i for i in range(n)], *([FLOATS, n] for n in range(1, 4)))
    assert f.what_if().of("scalars as arrays").changes == ("its results would have other types",)
    assert advise(f) is None


def test_how_often_a_loop_runs_can_be_an_array() -> None:
    def train(x: Any, steps: int) -> Any:
        for i in range(steps):
            x = x * 0.5 + i
        return x

    for counts in ((10, 20, 5), (100, 200), (3, 40)):
        f = called(train, *([FLOATS, n] for n in counts))
        outcome = f.what_if().of("scalars as arrays")
        assert (outcome.traces, outcome.changes, outcome.arguments) == (1, (), ("steps",))
        assert advise(f).code == "np.int64(steps)"
        for n in counts:
            np.testing.assert_array_equal(f(FLOATS, np.int64(n)), train(FLOATS, n), strict=True)


def test_a_list_of_numbers_is_one_argument() -> None:
    def weighted(x: Any, weights: Any) -> Any:
        return (x * np.asarray(weights)).sum()

    f = tracefn.function(weighted)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for n in range(12):
            f(FLOATS, [1.0 * n, 2.0, 3.0 * n])
    assert len(told) == 1
    assert "`weights` is another each time" in str(told[0].message)
    assert "Pass weights as np.asarray(weights)" in str(told[0].message)
    outcome = f.what_if().of("scalars as arrays")
    assert (outcome.traces, outcome.arguments, outcome.changes) == (1, ("weights",), ())
    assert f(FLOATS, np.asarray([5.0, 2.0, 1.0])) == weighted(FLOATS, [5.0, 2.0, 1.0])


def test_a_list_whose_numbers_python_uses_stays_a_list() -> None:
    def total(weights: Any) -> Any:
        found = 0.0
        for w in weights:
            found += w * w
        return found

    f = tracefn.function(total)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for n in range(12):
            f([1.0 * n, 2.0, 3.0 * n])
    assert [str(w.message).count("Pass np.asarray(weights): an array is one argument") for w in told] == [1]
    assert f.what_if().of("scalars as arrays").changes


def test_a_number_that_is_an_axis_cannot_become_an_array() -> None:
    f = called(lambda x, n: x.sum(axis=n), *([np.ones((2, 2)), n] for n in range(2)))
    assert f.what_if().of("scalars as arrays").changes == ("it cannot be traced so (UnsupportedFunctionError)",)
    assert advise(f) is None


def test_open_lengths_give_the_least_general_signature() -> None:
    f = called(lambda x, w: np.tanh(x) @ w, *([np.ones((n, 64), np.float32), np.ones((64, 2))] for n in range(1, 13)))
    outcome = f.what_if().of("relaxed dims")
    assert (outcome.traces, outcome.arguments) == (1, ("x",))
    fix = advise(f)
    assert fix.code == (
        "input_signature=[tracefn.TensorSpec((None, 64), np.float32), tracefn.TensorSpec((64, 2), np.float64)]"
    )
    assert fix.short == "x: (None, 64), w: (64, 2)"
    signature = eval(fix.code.removeprefix("input_signature="), {"tracefn": tracefn, "np": np})
    again = called(f.python_function, *([np.ones((n, 64), np.float32), np.ones((64, 2))] for n in (1, 2, 9)),
                   input_signature=signature)  # fmt: skip
    assert again.tracing_count == 1


def test_numbers_and_lengths_together() -> None:
    f = called(lambda x, n: x * n, *([np.ones(n + 1), n] for n in range(5)))
    fix = advise(f)
    assert (fix.before, fix.after) == (5, 1)
    assert fix.code == "input_signature=[tracefn.TensorSpec((None,), np.float64), tracefn.TensorSpec((), np.int64)]"
    assert "and pass n as np.asarray(n)" in fix.text


def test_where_no_signature_can_be_written_reduce_retracing_is_proposed() -> None:
    f = called(lambda x, mode: x * 2, *([np.ones(n), "a"] for n in range(1, 6)))
    fix = advise(f)
    assert (fix.kind, fix.code, fix.before, fix.after) == ("reduce_retracing", "reduce_retracing=True", 5, 2)
    again = called(f.python_function, *([np.ones(n), "a"] for n in range(1, 6)), reduce_retracing=True)
    assert again.tracing_count == fix.after


def test_structures_are_declared_as_they_are() -> None:
    f = called(
        lambda batch: batch["x"].sum() + batch["y"][0], *([{"x": np.ones(n), "y": (np.ones(2),)}] for n in (1, 2, 3))
    )
    fix = advise(f)
    assert fix.code == (
        "input_signature=[{'x': tracefn.TensorSpec((None,), np.float64), 'y': (tracefn.TensorSpec((2,), np.float64),)}]"
    )


def test_lengths_that_decide_the_graph_stay() -> None:
    f = called(lambda x: sum(x[i] for i in range(len(x))), *([np.ones(n)] for n in (1, 2, 3)))
    assert f.what_if().of("relaxed dims").changes
    assert advise(f) is None


def test_a_function_made_for_each_call_is_to_be_hoisted() -> None:
    f = called(lambda x, g: g(x), *([FLOATS, lambda x: x + 1] for _ in range(4)))
    outcome = f.what_if().of("hoisted function")
    assert (outcome.traces, outcome.arguments) == (1, ("g",))
    fix = advise(f)
    assert fix.kind == "hoist" and "make the function for g once" in fix.text
    assert "test_what_if.py line " in fix.text


def test_functions_with_other_closures_are_not_one() -> None:
    def adds(k):
        return lambda x: x + k

    f = called(lambda x, g: g(x), *([FLOATS, adds(k)] for k in range(4)))
    assert f.what_if().of("hoisted function") is None


class Config:
    def __init__(self, rate):
        self.rate = rate


def test_equal_objects_are_to_be_kept() -> None:
    kept = [Config(0.1) for _ in range(3)]
    f = called(lambda x, c: x * c.rate, *([FLOATS, c] for c in kept))
    assert f.what_if().of("static arguments").traces == 1
    assert advise(f).kind == "static"
    assert called(lambda x, c: x * c.rate, [FLOATS, Config(1)], [FLOATS, Config(2)]).what_if().outcomes == ()


def test_buckets_round_lengths_up() -> None:
    f = called(lambda x: x * 2, *([np.ones(n)] for n in range(1, 17)))
    outcome = f.what_if().of("power-of-two buckets")
    assert outcome.traces == 5  # 1, 2, 4, 8, 16
    assert outcome.changes == ("arrays are padded: mask or cut the results",)


def test_guards_stay_in_every_policy() -> None:
    state = Config("")

    def scaled(x, n):
        return x * n if state.rate == "a" else x + n if state.rate == "b" else x - n

    f = tracefn.function(scaled)
    for state.rate in ("a", "b", "c"):
        for n in (1, 2):
            f(FLOATS, n)
    assert f.tracing_count == 6
    assert f.what_if().of("scalars as arrays").traces == 3


def test_nothing_to_replay() -> None:
    f = tracefn.function(lambda x: x)
    assert f.what_if().outcomes == ()
    f(1)
    assert advise(f) is None
    assert "1 trace in 1 call" in str(f.what_if())


def test_the_table_as_text_html_and_data() -> None:
    f = called(lambda x, n: x * n, *([FLOATS, n] for n in range(3)))
    table = f.what_if()
    assert "scalars as arrays" in str(table) and "<table" in table._repr_html_()
    assert json.loads(json.dumps(table.to_dict()))["outcomes"][0]["traces"] == 1


def test_the_advice_is_in_the_headline() -> None:
    f = called(lambda x, n: x * n, *([np.ones(2), n] for n in (10, 20)))
    assert f.explain().headline.endswith(
        "n changed 10 → 20 (Python int). Same graph as #1 but for the numbers in it: pass n as np.asarray(n) – "
        "1 of 2 traces would not have happened."
    )


KEYS = st.lists(
    st.tuples(st.integers(1, 4), st.integers(1, 3), st.sampled_from([0, 1, 2**40, -5]), st.sampled_from(["a", "b"])),
    min_size=1, max_size=40, unique=True,
)  # fmt: skip


def signature(rows, columns, n, s):
    arguments = {"x": np.empty((rows, columns)), "n": n, "s": s}
    return CallSignature.of(arguments)[0]


@given(KEYS)
def test_the_replay_counts_as_sets_do(keys) -> None:
    log = CallLog()
    for number, key in enumerate(keys, 1):
        log.append(signature(*key), number, number)
    expected = {
        "scalars as arrays": {(r, c, s) for r, c, _, s in keys},
        "relaxed dims": {(n, s) for _, _, n, s in keys},
        "scalars as arrays, relaxed dims": {s for *_, s in keys},
    }
    assert replay(log, AS_IS, 128).count == len(keys)
    for policy in POLICIES:
        if policy.name in expected:
            found = replay(log, policy, 128)
            assert found.count == len(expected[policy.name])
            assert found.saved_ns + sum(found.costs[np.unique(found.groups, return_index=True)[1]]) == sum(
                range(1, len(keys) + 1)
            )


def test_the_replay_keeps_to_max_traces() -> None:
    log = CallLog()
    for number in range(1, 21):
        log.append(signature(number % 5 + 1, 1, 0, "a"), number, 1)
    assert replay(log, AS_IS, 5).count == 5
    assert replay(log, AS_IS, 4).count == 20


def test_the_log_is_bounded(monkeypatch) -> None:
    monkeypatch.setattr(call_log, "MAX_ROWS", 100)
    log = CallLog()
    for number in range(1000):
        log.append(signature(number + 1, 1, number % 3, "a"), number, 1)
    assert len(log) <= 100 and log.forgotten + len(log) == 1000
    (rows,) = log.forms.values()
    assert list(rows.column(0)) == list(range(1001 - len(log), 1001))
    assert list(rows.traces)[-1] == 999


def test_a_row_of_the_log_is_small() -> None:
    log = CallLog()
    for number in range(2000):
        log.append(signature(number + 1, 1, number, "a"), number, 1)
    assert log.nbytes / len(log) <= 200


@pytest.mark.parametrize("value", [2**63, -(2**63) - 1, 1.5, float("nan"), True, "text", 1j, None])
def test_any_python_value_is_logged(value) -> None:
    f = called(lambda x, n: x, [FLOATS, value], [FLOATS, 0])
    assert f.tracing_count == len(f._log)


D = np.arange(4.0)


@pytest.mark.parametrize(
    "function",
    [
        lambda x, n: x * (n * 2 + 1),
        lambda x, n: x[n] * n,
        lambda x, n: x**n,
        lambda x, n: np.roll(x, n) + np.full(4, n),
        lambda x, n: np.clip(x, 0, n),
        lambda x, n: x * n if n > 3 else x * n,
    ],
)
def test_a_proposed_cast_takes_one_trace_and_gives_the_same(function) -> None:
    f = called(function, [D, 1], [D, 2])
    fix = advise(f)
    assert fix is not None and fix.kind == "cast"
    again = tracefn.function(function)
    for n in (1, 2, 3):
        np.testing.assert_array_equal(again(D, eval(fix.code, {"np": np, "n": n})), f(D, n), strict=True)
    assert again.tracing_count == fix.after == 1


@pytest.mark.parametrize(
    "function",
    [
        lambda x, n: x * len(str(n)),
        lambda x, n: x * round(n / 3),
        lambda x, n: np.linalg.matrix_power(np.eye(2), n),
        lambda x, n: x + [5.0, 6.0, 7.0][n],
    ],
)
def test_what_python_makes_of_a_number_is_not_taken_for_the_number(function) -> None:
    f = called(function, [D, 1], [D, 2])
    fix = advise(f)
    if fix is not None:
        again = tracefn.function(function)
        for n in (1, 2):
            np.testing.assert_array_equal(again(D, eval(fix.code, {"np": np, "n": n})), f(D, n), strict=True)


counted = 0


class Model:
    """Has state that a function changes while it is traced."""

    def __init__(self) -> None:
        self.steps, self.log, self.names = 0, [], {"last": "f"}


def test_a_trial_leaves_nothing_outside_and_prints_nothing(capsys) -> None:
    model, local, seen = Model(), 0, []

    def f(x, n):
        global counted
        nonlocal local
        counted, local = counted + 1, local + 1
        seen.append("traced")
        model.steps += 1
        model.log.extend([1, 2])
        model.names["last"] = "f"
        print("traced")
        return x * n

    def state():
        return counted, local, list(seen), model.steps, list(model.log), dict(model.names)

    g = called(f, [D, 1], [D, 2])
    before = state()
    capsys.readouterr()
    fix = advise(g)
    assert fix is not None and fix.kind == "cast" and fix.unverified == ""
    assert state() == before == (counted, 2, ["traced"] * 2, 2, [1, 2, 1, 2], {"last": "f"})
    assert capsys.readouterr().out == ""


def test_a_trial_that_raises_leaves_nothing_either() -> None:
    seen = []

    def f(x, n):
        seen.append("traced")
        if n > 1:  # of an array that only the call knows, both sides would have to be staged
            raise ValueError(str(hash(n)))
        return x[: int(n)] * n

    g = tracefn.function(f)
    for n in (0, 1):
        g(D, n)
    advise(g)
    assert seen == ["traced"] * 2


def test_what_would_be_written_at_each_call_is_no_fix() -> None:
    seen = []
    f = called(lambda x, n: (seen.append(n), x * n)[1], [D, 1], [D, 2])
    assert advise(f) is None
    assert f.what_if().of("scalars as arrays").changes == ("it would write other values outside, at each call",)
    assert seen == [1, 2]


def test_variables_and_generators_as_arguments_are_stood_in_for() -> None:
    state, rng = tracefn.Variable(np.zeros(3)), np.random.default_rng(0)

    def f(state, again, rng, x, n):
        state.assign_add(x * n)
        again.assign_add(rng.random(3))
        return state + 0

    x = np.ones(3)
    g = called(f, [state, state, rng, x, 1], [state, state, rng, x, 2])
    value, drawn = state.numpy().copy(), rng.bit_generator.state
    fix = advise(g)
    assert fix is not None and fix.casts == {"n": "np.asarray(n)"} and fix.unverified == ""
    np.testing.assert_array_equal(state.numpy(), value)
    assert rng.bit_generator.state == drawn


LOGGER = logging.getLogger("what_if")


def test_what_cannot_be_tried_is_proposed_with_a_word_of_it(caplog) -> None:
    def f(x, n):
        LOGGER.warning("traced")
        return x * n

    g = called(f, [D, 1], [D, 2])
    fix = advise(g)
    assert fix is not None and fix.kind == "cast"
    assert fix.unverified.startswith("`warning` of logging runs while tracing alone (")
    assert fix.unverified in fix.sentence
    assert caplog.messages == ["traced"] * 2
    outcome = g.what_if().of("scalars as arrays")
    assert outcome.changes == () and outcome.unverified == fix.unverified
    assert "not tried" in str(g.what_if()) and "not tried" in g.explain().headline


def test_what_cannot_be_tried_and_computes_with_the_number_in_python_is_not_proposed() -> None:
    def f(x, n):
        LOGGER.info("traced")
        return x * round(n / 3)

    g = called(f, [D, 7], [D, 17])
    assert advise(g) is None
    assert "Python" in g.what_if().of("scalars as arrays").changes[0]


def test_a_trial_is_made_once_and_leaves_nothing() -> None:
    f = called(lambda x, n: x * n, [D, 1], [D, 2])
    with tracefn.events.record() as events:
        f.explain()
        f.explain()
    assert events == [] and f.tracing_count == 2 and len(f._history.tried) == 1


def test_a_length_that_is_asked_for_is_not_relaxed() -> None:
    f = called(lambda x: x * 2 if x.shape[0] > 3 else x * 2, [np.ones(2)], [np.ones(5)])
    assert f.what_if().of("relaxed dims").changes == ("it asks for lengths: each answer needs a trace",)
    assert advise(f) is None


def test_asking_does_not_disturb_calls_of_other_threads() -> None:
    f = tracefn.function(lambda x, n: x * n)
    f(FLOATS, 0)
    failed = []

    def call(first: int) -> None:
        try:
            for n in range(first, first + 30):
                f(FLOATS, n)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=call, args=[20 * i]) for i in range(4)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        f.what_if()
        f.explain()
    assert failed == []
    assert f.tracing_count == len(f._log) == 90


rate = 0.5


def helper(x):
    return np.tanh(x) * rate


class Settings:
    def __init__(self, value) -> None:
        self.rate = value


def outside_programs():
    """Name → (traced function, sets the number, calls it, the fix)."""
    kept = Settings(0.5)

    def in_closure():
        number = 1

        def f(x):
            return x * number

        def change(value):
            nonlocal number
            number = value

        return f, change

    f, change = in_closure()

    def change_rate(value):
        global rate
        rate = value

    def change_field(value):
        kept.rate = value

    return {
        "global": (lambda x: x * rate, change_rate, (), "rate = np.asarray(rate, np.float32)"),
        "helper": (lambda x: helper(x), change_rate, (), "rate = np.asarray(rate, np.float32)"),
        "closure": (f, change, (), "number = np.asarray(number, np.float32)"),
        "field": (
            lambda x: x - kept.rate,
            change_field,
            (),
            "kept.rate = np.asarray(kept.rate, np.float32)",
        ),
        "argument": (lambda x, s: x - s.rate, change_field, (kept,), "s.rate = np.asarray(s.rate, np.float32)"),
    }


@pytest.mark.parametrize("name", ["global", "helper", "closure", "field", "argument"])
def test_a_number_from_outside_is_to_be_kept_as_an_array(name: str) -> None:
    function, change, arguments, code = outside_programs()[name]
    f = tracefn.function(function)
    numbers = (0.5, 0.25)
    eager = []
    for number in numbers:
        change(number)
        eager.append(function(FLOATS, *arguments))
        f(FLOATS, *arguments)
    assert f.tracing_count == 2
    outcome = f.what_if().of("captured numbers as arrays")
    assert (outcome.traces, outcome.changes, outcome.unverified) == (1, (), "")
    fix = f.explain().fix
    assert (fix.kind, fix.code, fix.before, fix.after) == ("outside", code, 2, 1)
    again = tracefn.function(function)
    for number, expected in zip(numbers, eager, strict=True):
        change(np.asarray(number, np.float32))
        np.testing.assert_array_equal(again(FLOATS, *arguments), expected, strict=True)
    assert again.tracing_count == 1
    for number in (0.1, 0.2, 0.3):  # a number that has changed twice is read at each call
        change(number)
        np.testing.assert_array_equal(f(FLOATS, *arguments), function(FLOATS, *arguments), strict=True)
    assert f.tracing_count == 3
    change(0.5)


def test_a_number_from_outside_that_decides_the_graph_or_its_precision_stays() -> None:
    global rate
    decides = tracefn.function(lambda x: x * 2 if rate > 1 else x + 1)
    derived = tracefn.function(lambda x: x * (rate / 3))
    for number in (0.5, 2.0, 3.0):
        rate = number
        decides(FLOATS)
        derived(FLOATS)
    rate = 0.5
    assert advise(decides) is None
    assert derived.what_if().of("captured numbers as arrays").changes != ()
    assert advise(derived) is None


def test_other_changes_outside_need_their_traces() -> None:
    settings = Settings(0.5)
    settings.name = "a"
    f = tracefn.function(lambda x: x * settings.rate if settings.name == "a" else x * settings.rate)
    for number, name in ((0.5, "a"), (0.25, "a"), (0.25, "b")):
        settings.rate, settings.name = number, name
        f(FLOATS)
    assert f.tracing_count == 3
    assert f.what_if().of("captured numbers as arrays").traces == 2


def test_a_count_of_rounds_is_to_be_an_array_though_the_loop_makes_a_numpy_scalar() -> None:
    @tracefn.function
    def train(rounds: int) -> Any:
        total = np.float64(0)
        for _ in range(rounds):
            total = total + 1.0
        return total

    train(10), train(20)
    assert "would change" in str(train.what_if()) and "nothing" in str(train.what_if())
    assert "pass rounds as np.int64(rounds)" in str(train.explain())


class Single:
    """Each copy of it is itself."""

    def __init__(self):
        self.n = 0

    def __copy__(self):
        return self


def with_attribute(x):
    return x + with_attribute.n


def test_a_trial_changes_no_object_that_is_its_own_copy():
    single = Single()

    def read(x):
        return x + single.n

    for function, owner in ((read, single), (with_attribute, with_attribute)):
        owner.n, traced = 0, tracefn.function(function)
        for n in range(8):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", tracefn.errors.RetraceWarning)
                traced(np.ones(3 - n % 2))
            assert type(owner.n) is int and owner.n == n
            owner.n += 1
        traced.explain()
        assert type(owner.n) is int
