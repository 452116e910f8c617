"""State that each call changes: as in eager code, in few traces."""

import collections
import types
from typing import NamedTuple

import numpy as np
import pytest
import tracefn


class Place(NamedTuple):
    n: int
    v: object
    tag: str = "t"

    def moved(self, by):
        return self._replace(n=self.n + 1, v=self.v + by)


TABLE = {"n": 0, "inner": {"rate": 1.0}}


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


def dict_read_by_a_function_and_changed(o, x):
    read_and_set(o)
    o.table["n"] += 1
    return x


def read_and_set(o):
    before = o.table["n"]
    o.table["n"] = before + 1


def lists_in_a_dict(o, x):
    o.lists["a"].append(x.sum())
    o.lists[len(x)].append(1)
    return len(o.lists["a"]), o.lists["a"][-1]


def lists_in_a_list(o, x):
    o.lists["b"][1].append(x)
    if len(o.lists["b"][1]) > 2:
        o.lists["b"][1].pop(0)
    return o.lists["b"][1][-1] * len(o.lists["b"][0])


CASES = {
    namedtuple_replaced: 2,
    namedtuple_moved: 2,
    namedtuple_in_a_dict: 2,
    namedtuples_in_a_list: 3,
    global_dict_counted: 1,
    global_dict_set: 1,
    dict_under_another_name: 1,
    dict_read_by_a_function_and_changed: 2,
    lists_in_a_dict: 2,
    lists_in_a_list: 2,
}
"""The most traces for calls with arrays of one length."""


def run(function, case):
    TABLE["n"], TABLE["inner"]["rate"] = 0, 1.0
    o = types.SimpleNamespace(
        place=Place(0, 0.5),
        places=[Place(0, 1.0), Place(5, 2.0)],
        table={"n": 0, "place": Place(0, 1)},
        lists=collections.defaultdict(list, a=[], b=[[1.0], []]),
    )
    call = function(lambda x: case(o, x))
    return [repr((call(np.arange(3.0) + i), o, TABLE)) for i in range(6)], call


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_as_eager_in_few_traces(case):
    found, traced = run(tracefn.function, case)
    assert found == run(lambda f: f, case)[0]
    assert traced.tracing_count <= CASES[case] and not traced.fallbacks
