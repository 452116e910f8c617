"""Local deques, sets and dicts that staged loops change: values of the graph."""

import collections
import copy
from collections import Counter, OrderedDict, defaultdict, deque

import numpy as np
import pytest
import tracefn
from tracefn.ir.evaluate import evaluate


def bfs(x):
    distances, waiting = {0: 0}, deque([0])
    while waiting:
        u = waiting.popleft()
        for v in ((u + int(x[0])) % 7, (u * 2) % 7):
            if v not in distances:
                distances[v] = distances[u] + 1
                waiting.append(v)
    return distances


def of_deque(x):
    q, last = deque([1, 2]), deque(maxlen=2)
    for v in x:
        q.appendleft(int(v))
        q.rotate(1)
        if v > 2:
            q[0] = q[-1]
            last.append((int(v), 0.5))
        if 3 in q and len(q) > 4:
            q.remove(3)
    total = 0
    for v in q:
        total += v
    return q, last, total, q.count(2), sorted(q), np.array(list(q)), list(reversed(q)), max(q)


def of_dict(x):
    d = {}
    for i, v in enumerate(x):
        k = int(v)
        d[k] = d.get(k, 0) + i
        d.setdefault(k + 1, 7)
        if k - 1 in d:
            del d[k - 1]
        if k == 3:
            d.pop(k, 0)
    pairs = 0
    for k, v in d.items():
        pairs += k * v
    return d, pairs, sum(d.values()), sorted(d), max(d, key=d.get), list(d)


def of_set(x):
    seen, twice = {0}, set()
    for i in range(len(x)):
        pair = (int(x[i]), i % 2)
        if int(x[i]) in seen:
            twice.add(pair)
        seen.add(int(x[i]))
        seen.discard(i)
    return seen, twice, len(twice), (1, 0) not in twice


def of_counters(x):
    c, d, o = Counter(), defaultdict(float), OrderedDict()
    for v in x:
        c[int(v)] += 1
        d[int(v)] += 0.5
        o[int(v)] = c[int(v) + 1]
        o.move_to_end(int(v))
        if len(o) > 2:
            o.popitem(last=False)
    return c, d, o, c[17], d[18]


def in_functions(x):
    found = set()

    def is_new(k):
        if k in found:
            return False
        found.add(k)
        return True

    count = 0
    for v in x:
        if is_new(int(v)):
            count += 1
    return count, found, found


def versions(x):
    d, seen = {0: 0}, []
    for v in x:
        before, size = d[0], len(d)
        d[0] = before + int(v)
        d[int(v)] = size
        seen.append(before * 100 + d[0] * 10 + len(d))
    return seen, d


def by_levels(x):
    front, seen, steps = {0}, {0}, 0
    while front:
        later = set()
        for u in front:
            v = (u * 2 + int(x[0])) % 11
            if v not in seen:
                seen.add(v)
                later.add(v)
        front = later
        steps += 1
    return steps, seen, front


def made_of_others(x):
    q, left, d = deque(), set(range(5)), {}
    for v in x:
        q.append(int(v))
        left.discard(int(v))
        d[int(v)] = len(left)
    return set(q), Counter(q), dict(d), deque(d), left, list(reversed(q)), list(enumerate(q))


def left_early(x):
    waiting = deque([int(x[0]) + 2])
    while waiting:
        k = waiting.popleft()
        if k > 20:
            return k, len(waiting)
        if k % 2:
            waiting.append(k + 3)
    return -1, len(waiting)


def which_it_is(x):
    front, later = deque([1]), deque()
    for v in x:
        later = deque()
        later.append(int(v))
        front = later
    return front is later, front


def defaults_read_on_the_way(x):
    counts, sums, found = defaultdict(int), defaultdict(int), defaultdict(float)
    for v in x:
        counts[int(v)] += counts[int(v) + 1] + len(counts)
        sums[int(v)] += v
        found[int(v)] += 1.0 if int(v) in found else 2.0
    return counts, sums, found


def another_name_is_read(x):
    a, b = deque(), deque()
    chosen, total = a if x[0] > 1 else b, 0
    for v in x:
        for k in chosen:
            total += k
        a.append(int(v))
        b.append(int(v) + 1)
    return total


def without_items_at_first(x):
    empty, total = deque(), 0
    seen = set(empty)
    for v in x:
        for k in seen:
            total += k
        seen.add(int(v))
    return total, seen


def of_constants(x):
    pairs, numbers = {(1, 0), (2, 0), (3, 1)}, {8, 0, 16}
    if x[0] > 1:
        pairs.add((1, int(x[0])))
        numbers.add(int(x[0]))
    return pairs, numbers


def of_constants_alone(x):
    d, s = {3: 1, 0: 2}, set()
    for k in (0, 2, 3, 4, 17):
        s.add(k)
    found = int(list(s)[1])
    if x[0] > 1:
        d[int(x[0])] = 1
        s.add(int(x[0]))
    return bool(d), found, s


WHOLE = [
    of_constants_alone,
    defaults_read_on_the_way,
    another_name_is_read,
    without_items_at_first,
    bfs,
    of_deque,
    of_dict,
    of_set,
    of_counters,
    in_functions,
    versions,
    by_levels,
    made_of_others,
]
WHOLE += [left_early, which_it_is]


@pytest.mark.parametrize("function", WHOLE)
def test_as_undecorated(function):
    f = tracefn.function(function)
    for values in ([1, 2, 1, 4], [3, 3, 0, 5], [2, 0, 2, 2]):
        got, wanted = f(np.array(values)), function(np.array(values))
        assert repr(got) == repr(wanted)
    assert (f.tracing_count, f.fallbacks) == (1, [])


def popped_empty(q, d, v):
    return q.popleft()


def missing_key(q, d, v):
    return d[int(v)]


def deleted_key(q, d, v):
    del d[int(v)]


def changed_in_a_loop_over_it(q, d, v):
    for k in d:
        d[k + int(v)] = 1


@pytest.mark.usefixtures("falls_back")
@pytest.mark.parametrize("last", [popped_empty, missing_key, deleted_key, changed_in_a_loop_over_it])
def test_errors_are_those_of_eager_code(last):
    def function(x):
        q, d = deque(), {50: 1}
        for v in x:
            if v > 7:
                q.append(int(v))
                d[int(v)] = 1
        return last(q, d, x[0])

    raised = []
    for run in (function, tracefn.function(function)):
        with pytest.raises((IndexError, KeyError, RuntimeError)) as caught:
            run(np.array([1, 2]))
        raised.append(repr(caught.value))
    assert raised[0] == raised[1]


def another_name(x):
    a, b = {}, {}
    for v in x:
        a[int(v)] = 1
    chosen = a if x[0] > 1 else b
    chosen[9] = 9
    return a, b


def several_types(x):
    d = {}
    for v in x:
        d[int(v)] = d.get(int(v), 0.0) if v > 2 else v
    return d


def as_text(x):
    d = {}
    for v in x:
        d[int(v)] = 1
    return f"{d}", d == {1: 1}


def swapped(x):
    a, b = deque(), deque()
    for v in x:
        a.append(int(v))
        if v > 2:
            a, b = b, a
    return a, b


def held_arrays(x):
    d = {}
    for v in x:
        d[int(v)] = x * v
    return d[int(x[0])]


def copied(x):
    d = {}
    for v in x:
        d[int(v)] = 1
    other = copy.copy(d)
    other[77] = 1
    return d, other, d | other


def asked_for_attributes(x):
    d, q = {}, deque()
    for v in x:
        d[int(v)] = 1
        q.append(int(v))
    return (
        hasattr(d, "update"),
        hasattr(d, "held"),
        d.__class__ is dict,
        q.__class__.__name__,
        getattr(q, "insert", None) is None,
    )


def matched(x):
    d = {}
    for v in x:
        d[int(v)] = 5
    match d:
        case {1: found}:
            return found
    return 0


def default_used_on_the_way(x):
    d = defaultdict(int)
    for v in x:
        d[int(v)] += len(d) * 0.5
    return d


@pytest.mark.usefixtures("falls_back")
@pytest.mark.parametrize(
    "function",
    [
        of_constants,
        asked_for_attributes,
        matched,
        default_used_on_the_way,
        another_name,
        several_types,
        as_text,
        swapped,
        held_arrays,
        copied,
    ],
)
def test_other_uses_run_eagerly(function):
    f = tracefn.function(function)
    for values in ([1, 2, 1, 4], [3, 3, 0, 5]):
        assert repr(f(np.array(values))) == repr(function(np.array(values)))
    assert f.fallbacks


def test_the_reference_interpreter_knows_containers():
    x = np.array([1, 2, 1, 4])
    graph = tracefn.function(bfs).get_concrete_function(x).graph
    assert evaluate(graph, [x]) == (bfs(x),)


def test_the_reason_of_a_refusal_is_that_of_python_containers():
    with pytest.raises(tracefn.errors.ControlFlowError, match="which item of `d` is set"):
        tracefn.function(held_arrays)(np.array([1, 2]))


def nan_in_a_dict(x):
    d = {}
    for i in range(len(x)):
        d[x[i]] = 1
        d[x[i]] = 2
    return len(d)


def nan_in_a_set(x):
    q = deque()
    for i in range(len(x)):
        q.append((i % 2, x[i]))
        q.append((i % 2, x[i]))
    return len(set(q))


def nan_in_a_list(x):
    found, count = [], 0
    for i in range(len(x)):
        found.append(x[i])
        count += found.count(x[i]) + (x[i] in found)
    return count


@pytest.mark.usefixtures("falls_back")
@pytest.mark.parametrize("function", [nan_in_a_dict, nan_in_a_set, nan_in_a_list])
def test_nan_is_told_by_its_identity(function):
    f = tracefn.function(function)
    for values in ([1.0, 2.0, 2.0], [1.0, np.nan, np.nan], [4.0, 2.0, 2.0]):
        x = np.array(values * 3)
        assert f(x) == function(x)
    assert (f.tracing_count, len(f.fallbacks)) == (1, 1)


@pytest.mark.usefixtures("falls_back")
def test_derivatives_are_those_of_eager_code():
    def products(x):
        q, total = deque(maxlen=2), 0.0
        for v in x:
            if v > 0:
                q.append(v * v)
            if len(q) > 1:
                total = total + q[0] * q[-1]
        return total

    np.testing.assert_allclose(tracefn.grad(products)(np.array([1.0, -2.0, 3.0])), [18.0, 0.0, 6.0])


def test_types_that_python_sees():
    @tracefn.function
    def types(x):
        q, d = deque(maxlen=3), {}
        for v in x:
            q.append(int(v))
            d[int(v)] = 1
        return (
            isinstance(q, collections.abc.Sequence),
            isinstance(d, dict),
            type(d) is dict,
            q.maxlen,
            isinstance(d, list),
        )

    assert types(np.array([1, 2])) == (True, True, True, 3, False)
    assert types.fallbacks == []


def test_drawing_tells_calls_and_no_codes_of_types():
    def most(x):
        counts, seen = Counter(), set()
        for v in x:
            counts[int(v)] += 1
            seen.add(int(v))
        return max(counts, key=counts.get), len(seen)

    def nodes(graph):
        for node in graph["nodes"]:
            yield node
            for body in node["bodies"].values():
                yield from nodes(body)

    graph = tracefn.function(most, jit="off").get_concrete_function(np.arange(12) % 5).graph.to_json()
    found = [n for n in nodes(graph) if n["op"].startswith(("container_", "list_"))]
    calls = [n["call"] for n in found]
    assert "containers.new('set', [], None)" in calls and any(call.startswith("max(range(") for call in calls)
    assert all(calls) and not any("<i8" in str(n["attrs"]) for n in found)
