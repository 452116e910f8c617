"""State that each call changes: as in eager code, in few traces."""

import collections
import heapq
import types
from typing import NamedTuple

import numpy as np
import pytest
import tracefn


class Knob:
    def __init__(self):
        self._value, self.history = 1.0, []

    @property
    def value(self):
        return self._value

    @value.setter
    def value(self, new):
        self.history = self.history[-2:] + [new]
        self._value = float(new)

    def __repr__(self):
        return ""


class Place(NamedTuple):
    n: int
    v: object
    tag: str = "t"

    def moved(self, by):
        return self._replace(n=self.n + 1, v=self.v + by)


class Rows:
    def __init__(self):
        self.rows, self.reads, self.writes = {}, 0, []

    def __getitem__(self, key):
        self.reads += 1
        return self.rows.get(key, 0.0)

    def __setitem__(self, key, value):
        self.writes.append(key)
        self.rows[key] = value

    def __contains__(self, key):
        return key in self.rows

    def __len__(self):
        return len(self.rows)

    def __repr__(self):
        return f"{self.rows} {self.reads} {self.writes}"


TABLE = {"n": 0, "inner": {"rate": 1.0}}
SEEN = set()
GROWN = np.ones(2)


def namedtuple_replaced(o, x):
    o.place = o.place._replace(n=o.place.n + 1)
    return o.place, x * o.place.n


def namedtuple_moved(o, x):
    o.place = o.place.moved(x[0])
    return o.place.v, o.place._asdict()


def namedtuple_in_a_dict(o, x):
    o.table["place"] = o.table["place"].moved(1)
    return x * o.table["place"].n, o.table["place"]


def namedtuples_in_a_list(o, x):
    o.places[0], o.places[1] = o.places[1].moved(1), o.places[0]
    return x * o.places[0].n, o.places


def global_dict_counted(o, x):
    TABLE["n"] += 1
    TABLE["inner"]["rate"] *= 0.5
    return x * TABLE["n"], TABLE["inner"]["rate"]


def global_dict_set(o, x):
    TABLE["n"] = TABLE["n"] + 2
    return x * TABLE["n"]


def dict_under_another_name(o, x):
    table = o.table
    table["n"] += 1
    return x * table["n"], len(table)


def lists_in_a_dict(o, x):
    o.lists["a"].append(x.sum())
    o.lists[len(x)].append(1)
    return len(o.lists["a"]), o.lists["a"][-1]


def lists_in_a_list(o, x):
    o.lists["b"][1].append(x)
    if len(o.lists["b"][1]) > 2:
        o.lists["b"][1].pop(0)
    return o.lists["b"][1][-1] * len(o.lists["b"][0])


def array_appended_to(o, x):
    o.grown = np.append(o.grown, x[0])
    return o.grown.mean(), len(o.grown), o.grown.shape, np.zeros(o.grown.size)


def array_written_into_and_appended_to(o, x):
    before, part = o.grown, o.grown[1:]
    part += 1
    o.grown *= 2
    o.grown = np.concatenate([o.grown, x])[-12:]
    return before, part, o.grown[:3]


def rows_appended(o, x):
    o.rows = np.vstack([o.rows, x])
    return o.rows.sum(0), o.rows[-1], o.rows.T @ o.rows


def global_array_appended_to(o, x):
    global GROWN
    GROWN = np.append(GROWN, x[0])
    return GROWN.mean(), len(GROWN)


def set_of_tuples_added_to(o, x):
    SEEN.add((1, len(x)))
    return len(SEEN), (1, 3) in SEEN, 1 in SEEN


def object_with_items_written(o, x):
    o.by_key[1] += x[0]
    return 1 in o.by_key, len(o.by_key), x * o.by_key.reads


@tracefn.function
def noted(a, notes):
    notes.append(a)
    return len(notes), notes[-1] if a.sum() > 6 else a


def list_that_a_traced_helper_changes(o, x):
    return noted(x, o.lists["a"]), noted(x * 2, o.lists["a"]), len(o.lists["a"])


def list_in_a_dict_by_setdefault(o, x):
    o.table.setdefault("seen", []).append(x)
    o.table.get("seen").append(1)
    return len(o.table["seen"]), o.table["seen"][-2]


def heap_pushed_to(o, x):
    heapq.heappush(o.lists["a"], 3)
    return len(o.lists["a"])


def counts_of_which_one_is_missing(o, x):
    for key in (1, 2):
        o.counts[key] += 1
    return o.counts.get("none", -1), "more" in o.counts, x * o.counts[1]


def length_asked(o, x):
    if len(o.grown) > 3:
        o.grown = o.grown[1:]
    o.grown = np.append(o.grown, x.sum())
    return x + o.grown[-1] if o.grown.size % 2 else x


def last_items_kept_by_a_property(o, x):
    o.knob.value += 1
    return o.knob.value


def counted(x):
    counted.calls = getattr(counted, "calls", 0) + 1
    return x + counted.calls


REGISTRY = {"counted": counted}


def function_in_a_registry(o, x):
    return REGISTRY["counted"](x)


CASES = {
    namedtuple_replaced: 2,
    namedtuple_moved: 2,
    namedtuple_in_a_dict: 2,
    namedtuples_in_a_list: 3,
    global_dict_counted: 1,
    global_dict_set: 1,
    dict_under_another_name: 1,
    lists_in_a_dict: 2,
    lists_in_a_list: 2,
    function_in_a_registry: 2,
    last_items_kept_by_a_property: 3,
    array_appended_to: 3,
    array_written_into_and_appended_to: 3,
    rows_appended: 3,
    global_array_appended_to: 3,
    object_with_items_written: 3,
    list_that_a_traced_helper_changes: 3,
    list_in_a_dict_by_setdefault: 2,
    heap_pushed_to: 2,
    counts_of_which_one_is_missing: 2,
    set_of_tuples_added_to: 2,
    length_asked: 3,
}
"""The most traces for calls with arrays of one length."""


def run(function, case, is_argument):
    TABLE["n"], TABLE["inner"]["rate"] = 0, 1.0
    vars(counted).clear()
    SEEN.clear()
    global GROWN
    GROWN = np.ones(2)
    o = types.SimpleNamespace(
        place=Place(0, 0.5),
        places=[Place(0, 1.0), Place(5, 2.0)],
        table={"n": 0, "place": Place(0, 1)},
        lists=collections.defaultdict(list, a=[], b=[[1.0], []]),
        grown=np.ones(2),
        knob=Knob(),
        rows=np.zeros((0, 3)),
        by_key=Rows(),
        counts=collections.defaultdict(int),
    )
    call = function(case if is_argument else lambda x: case(o, x))
    first = (o,) * is_argument
    return [repr((call(*first, np.arange(3.0) + i), o, vars(o.knob), TABLE, SEEN, GROWN)) for i in range(6)], call


@pytest.mark.parametrize("is_argument", [True, False], ids=["argument", "closure"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_as_eager_in_few_traces(case, is_argument):
    found, traced = run(tracefn.function, case, is_argument)
    assert found == run(lambda f: f, case, is_argument)[0]
    assert traced.tracing_count <= CASES[case] and not traced.fallbacks


def test_a_number_that_a_function_reads_before_it_is_known_to_change():
    held = types.SimpleNamespace(table={"v": 1.0})

    def read_and_set(held):
        before = held.table["v"]
        held.table["v"] = before + 1

    @tracefn.function
    def step(held, x):
        read_and_set(held)
        held.table["v"] += 1
        return x

    for number in range(4):
        step(held, np.zeros(2))
        assert held.table["v"] == 2 * number + 3


def test_an_object_under_two_names_of_which_one_is_rebound():
    class Meter:
        n = 0

        def read(self, x):
            METER.n += 1
            return x + self.n + METER.n

    def run(function):
        global METER
        METER = first = Meter()
        table = {"meter": METER}
        call = function(lambda x: (table["meter"].read(x), METER.n))
        found = []
        for number in range(8):
            if number in (3, 6):
                METER = Meter() if number == 3 else first
            found.append(repr((call(np.ones(2)), METER.n, first.n)))
        return found

    assert run(tracefn.function) == run(lambda f: f)


def test_sets_of_tuples_with_members_of_other_types():
    held = set()

    @tracefn.function
    def shown(x):
        return x, sorted(held)

    for member in [(1, True), (1, 1), (1.0, 1), (0.0, 1), (-0.0, 1)]:
        held.clear()
        held.add(member)
        assert repr(shown(1.5)[1]) == repr([member])


def test_instances_learn_from_one_another():
    class Log:
        def __init__(self):
            self.rows, self.cut = np.zeros(1), 0

        @tracefn.function
        def step(self, x):
            self.rows = np.append(self.rows, x[self.cut])
            return self.rows.sum()

    logs = [Log() for _ in range(3)]
    for log in logs:
        for number in range(5):
            if number > 2:
                log.cut = number - 2
            assert log.step(np.arange(4.0)) == log.rows.sum()
    assert [log.step.tracing_count for log in logs] == [4, 1, 1]


def test_a_key_of_a_dict_that_is_gone():
    outer = collections.defaultdict(dict)

    @tracefn.function
    def asked(x):
        return x, "a" in outer["b"], len(outer)

    for change in (lambda: outer["b"].update(a=1), outer.clear, lambda: outer["b"].update(a=2)):
        change()
        expected = ("a" in outer.get("b", {}), 1)
        assert asked(1.5)[1:] == expected
