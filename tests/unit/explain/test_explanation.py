"""Every trace is explained against all earlier ones: the named causes are exactly what differs, nearest first."""

from __future__ import annotations

import gc
import json

import numpy as np
import pytest
import tracefn
from hypothesis import given
from hypothesis import strategies as st
from tracefn.function.history import traces as history


class Config:
    """Keyed by identity."""

    def __init__(self, rate: float = 0.1) -> None:
        self.rate = rate


OBJECTS = [Config(), Config()]
ARRAYS = st.builds(
    np.zeros,
    st.lists(st.integers(0, 2), max_size=3).map(tuple),
    st.sampled_from([np.float64, np.float32, np.int64, np.bool_]),
)
LEAVES = st.one_of(
    ARRAYS,
    st.sampled_from([np.float64(1), np.float32(1), np.int64(1), 1, 2, 1.0, True, False, 0.0, -0.0, float("nan"), None]),
    st.sampled_from(["a", "b", b"a", 1j, range(2), slice(0, 1), slice(0, 2), frozenset([1]), frozenset([True])]),
    st.sampled_from(OBJECTS),
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.lists(st.tuples(st.sampled_from("xyz"), inner), max_size=3).map(dict),
    ),
    max_leaves=6,
)
NUMBERS = (bool, int, float, complex, str, bytes, type(None), range, slice, frozenset)


def leaf(value: object) -> object:
    """What a leaf is compared by, written independently of the library."""
    if isinstance(value, np.generic):
        return ("scalar", value.dtype)
    if isinstance(value, np.ndarray):
        return ("array", value.dtype, value.shape)
    if isinstance(value, frozenset):
        return ("set", frozenset((type(v), v) for v in value))
    return (type(value), repr(value)) if isinstance(value, NUMBERS) else id(value)


def differing(path: str, old: object, new: object) -> set[str]:
    """The paths of what differs."""
    if type(old) is type(new) and isinstance(old, list | tuple | dict):
        items = [dict(v) if isinstance(v, dict) else dict(enumerate(v)) for v in (old, new)]
        found = set() if list(items[0]) == list(items[1]) else {path}
        return found.union(*(differing(f"{path}[{k!r}]", items[0][k], items[1][k]) for k in items[0].keys() & items[1]))
    if isinstance(old, list | tuple | dict) or isinstance(new, list | tuple | dict):
        return {path}
    return set() if leaf(old) == leaf(new) else {path}


@given(VALUES, VALUES, VALUES, VALUES)
def test_the_causes_are_exactly_the_differing_leaves(a: object, b: object, c: object, d: object) -> None:
    f = tracefn.function(lambda x, y: 0)
    f(a, b)
    f(c, d)
    expected = differing("x", a, c) | differing("y", b, d)
    assert f.tracing_count == (2 if expected else 1)
    if expected:
        assert {cause.path for cause in f.explain().causes} == expected


@given(st.lists(st.tuples(LEAVES, LEAVES, LEAVES), min_size=2, max_size=6))
def test_all_earlier_traces_are_compared_and_the_nearest_comes_first(calls: list[tuple[object, ...]]) -> None:
    f = tracefn.function(lambda x, y, z: 0)
    traced = []
    for call in calls:
        f(*call)
        if f.tracing_count > len(traced):
            traced.append(call)
            explanation = f.explain()
            counts = {
                n: sum(leaf(u) != leaf(v) for u, v in zip(earlier, call, strict=True))
                for n, earlier in enumerate(traced[:-1], 1)
            }
            compared = [c.earlier.number for c in explanation.comparisons]
            assert set(compared) == set(counts)
            assert [counts[n] for n in compared] == sorted(counts.values())
            for comparison in explanation.comparisons:
                assert len({c.path for c in comparison.causes}) == counts[comparison.earlier.number] > 0


@given(st.lists(st.tuples(VALUES, LEAVES), min_size=2, max_size=8))
def test_the_quick_ranking_is_that_of_the_full_comparison(calls: list[tuple[object, ...]]) -> None:
    f = tracefn.function(lambda x, y: 0)
    for call in calls:
        with tracefn.events.record() as events:
            f(*call)
        for event in events:
            if event.type == "retrace.explained":
                assert event.nearest == f.explain().comparisons[0].earlier.number


def test_an_evicted_trace_with_open_lengths_that_would_have_fitted_is_the_reason() -> None:
    f = tracefn.function(lambda x, n: x * n, reduce_retracing=True)
    for rows in (1, 2, 3):
        f(np.zeros(rows), 1)
    f(np.zeros(1), 2)
    f.evict(2)
    with tracefn.events.record() as events:
        f(np.zeros(4), 1)
    (event,) = [e for e in events if e.type == "retrace.explained"]
    assert [c.kind for c in event.causes] == ["removed"]
    assert event.causes == f.explain().causes


@pytest.mark.parametrize("kind", ["numbers", "shapes", "lists", "globals"])
def test_a_miss_among_many_traces_compares_few_in_full(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made = {
        "numbers": lambda i: (np.zeros(2), i),
        "shapes": lambda i: (np.zeros((i, 2)), i % 7),
        "lists": lambda i: ([np.zeros(1)] * i, 0),
        "globals": lambda i: (0, 0),
    }[kind]
    f = tracefn.function(lambda x, y: scale, max_traces=None)
    counted = []
    compare = history.compare
    monkeypatch.setattr(history, "compare", lambda *a: counted.append(a) or compare(*a))
    for i in range(40):
        monkeypatch.setitem(globals(), "scale", f"{i}" if kind == "globals" else 2)
        counted.clear()
        f(*made(i))
        assert f.tracing_count == i + 1
        assert len(counted) <= 3
    assert f.explain().comparisons[0].earlier.number == 40 - (7 if kind == "shapes" else 1)


def test_every_differing_dimension_is_named() -> None:
    f = tracefn.function(lambda x: x)
    f(np.zeros((1, 2, 3)))
    f(np.zeros((4, 2, 5)))
    causes = f.explain().causes
    assert [(c.path, c.kind, c.dimension, c.old, c.new) for c in causes] == [
        ("x", "dimension", 0, "1", "4"),
        ("x", "dimension", 2, "3", "5"),
    ]


def test_equally_many_leaves_are_ranked_by_differences_and_then_by_age() -> None:
    f = tracefn.function(lambda x: x)
    for x in (np.zeros(3), np.zeros(4), np.zeros((5, 5), np.float32), np.zeros(6)):
        f(x)
    assert [c.earlier.number for c in f.explain().comparisons] == [2, 1, 3]


scale = 2


def test_guards_are_causes_against_each_trace_that_they_break() -> None:
    global scale
    f = tracefn.function(lambda x, n: x * n * scale)
    scale = 2
    f(np.ones(2), 1)
    scale = 3
    f(np.ones(2), 2)
    scale = 2
    f(np.ones(2), 2)
    first, second = f.explain().comparisons
    assert first.earlier.number == 2 and [c.text for c in first.causes] == ["global scale: 3 → 2"]
    assert second.earlier.number == 1 and [c.text for c in second.causes] == ["n: 1 → 2 (Python int)"]


def test_a_trace_after_clear_cache_says_so() -> None:
    f = tracefn.function(lambda x: x)
    f(np.ones(2))
    f(np.ones(3))
    f.clear_cache()
    f(np.ones(2))
    explanation = f.explain()
    assert [c.kind for c in explanation.causes] == ["cleared"]
    assert explanation.comparisons[0].earlier.number == 1
    assert ": trace #1 went with clear_cache(). Same graph as #1" in explanation.headline
    f(np.ones(4))
    nearest = f.explain().comparisons[0]
    assert (nearest.earlier.number, [c.kind for c in nearest.causes]) == (3, ["dimension"])


def test_a_dropped_trace_holds_no_object_and_no_graph() -> None:
    f = tracefn.function(lambda x, c: x)
    f(np.ones(2), Config())
    f.clear_cache()
    gc.collect()
    (record,) = f._history.records
    assert record.call.leaves[1].target is None
    assert record.concrete is None and record.calls == 1


def test_memory_and_aliasing_are_kinds_of_their_own() -> None:
    @tracefn.function
    def f(v, w):
        v.assign_add(w)
        return v + 1

    one, other = tracefn.Variable(np.ones(2)), tracefn.Variable(np.ones(2))
    f(one, other)
    f(one, one)
    assert [c.kind for c in f.explain().causes] == ["alias"]


def test_relaxed_lengths_are_told() -> None:
    f = tracefn.function(lambda x: x * 2, reduce_retracing=True)
    f(np.ones((2, 3)))
    f(np.ones((4, 3)))
    (relaxed,) = f.explain().relaxed
    assert (relaxed.path, relaxed.dimension, relaxed.old, relaxed.new) == ("x", 0, "4", "None")
    assert "dimension 0 is left open" in str(f.explain())


def test_the_headline_is_for_users() -> None:
    @tracefn.function
    def f(x, n):
        return x * n

    f(np.ones(3), 10)
    f(np.ones(3), 20)
    headline = f.explain().headline
    assert headline.startswith("f retraced (#2, ")
    assert "test_explanation.py line " in headline
    assert ": n changed 10 → 20 (Python int). Same graph as #1" in headline
    assert f.explain(1).headline.startswith("f was traced for the first time (#1, ")


def test_text_html_and_data_tell_the_same() -> None:
    weights = np.ones(3)
    config = Config()
    config.rate = 0.5

    @tracefn.function
    def f(x, c):
        print("<only once>")
        return x * weights * c.rate * scale

    f(np.ones(3), config)
    f(np.ones((1, 3)), config)
    explanation = f.explain()
    shown = str(explanation)
    for part in ("x: rank 1 → 2", "closure weights: float64[3] (read at every call)", "global scale: 2 (another value"):
        assert part in shown
    assert "c.rate: 0.5 (another value retraces)" in shown
    data = json.loads(json.dumps(explanation.to_dict()))
    assert data["earlier"][0]["causes"][0]["kind"] == "rank"
    assert data["cost_ns"] == sum(data["phases"].values()) > 0
    page = explanation._repr_html_()
    assert "<table" in page and "rank 1 → 2" in page and "<only once>" not in page


def test_what_is_not_there_is_an_error() -> None:
    f = tracefn.function(lambda x: x)
    with pytest.raises(ValueError, match="has no trace"):
        f.explain()
    f(1)
    with pytest.raises(ValueError, match="no trace number 2"):
        f.explain(2)


def test_methods_explain_themselves() -> None:
    class Model:
        @tracefn.function
        def run(self, x):
            return x + 1

    model = Model()
    model.run(np.ones(2))
    model.run(np.ones(3))
    assert [c.path for c in model.run.explain().causes] == ["x"]


class Counted:
    def __init__(self):
        self.n, self.w, self.v, self.log, self.flag = 0, np.ones(2), np.ones(2), [], True

    @tracefn.function
    def step(self, x):
        self.n += 1
        self.v[0] = x[0]
        if self.flag:
            self.log.append(x.sum())
        return self.w * x


def test_builtins_that_no_global_may_hide():
    @tracefn.function
    def doubled(x):
        return x * len([x, x])

    doubled(np.ones(2))
    assert [read.text for read in doubled.explain().reads] == ["global len: not set (another value retraces)"]


def test_the_use_of_each_place_of_the_state():
    counted = Counted()
    counted.step(np.ones(2))
    use = {read.path: read.use for read in counted.step.explain().reads}
    wanted = {"self.n": "both", "self.v": "both", "self.w": "read", "self.log": "written", "self.flag": "read"}
    assert {path: use[path] for path in wanted} == wanted
    text = str(counted.step.explain())
    assert "self.log (written at every call)" in text
    assert "self.n: Python int (read at every call; written at every call)" in text
