"""Containers of which the call decides what they hold: what is read and changed there is what eager code finds."""

from collections import OrderedDict, deque

import numpy as np
import pytest
import tracefn
from agreement import assert_all_agree


class Box:
    def __init__(self):
        self.log, self.short, self.table = [1.0, 2.0], deque([0.5, 1.5, 2.5], maxlen=3), OrderedDict(a=1.0)


def keeps_the_last(box, x):
    if x.max() > 1:
        box.log.append(x.max())
    if len(box.log) > 2:
        box.log.pop(0)
    return len(box.log), box.log[-1], np.mean(box.log)


def adds_and_drops(box, x):
    if x[0] > 0:
        box.log.insert(0, x[0])
    elif x[1] > 0:
        del box.log[0]
    box.log[-1:] = [x.sum(), 1]
    found = [v * 2 for v in box.log], box.log[1:]
    box.log = [1.0, 2.0]
    return found


def goes_over(box, x):
    if x[0] > 0:
        box.log.clear()
    total = x[1]
    for i, v in enumerate(box.log):
        total = total + i * v
        if total > 3:
            break
    box.log = [1.0, 2.0]
    return total


def is_empty_or_not(box, x):
    box.log.clear()
    if x[0] > 0:
        box.log.append(float(x[1]))
    return box.log[-1] if box.log else None


def drops_what_is_too_much(box, x):
    if x[0] > 0:
        box.short.append(x[1])
    box.short.appendleft(float(x[0]))
    return list(box.short), box.short[0]


def has_a_key_or_not(box, x):
    if x[0] > 0:
        box.table["b"] = x[0]
    box.table["c"] = x[1]
    if x[1] > 0:
        box.table.pop("a", None)
    found = list(box.table), box.table.get("b", 0.0), "a" in box.table, dict(box.table)
    box.table = OrderedDict(a=1.0)
    return found


def keeps_the_types(box, x):
    y = float(x[1]) if x[0] > 0.3 else x[0]
    return [y, 1.0] if x[1] < 0 else [y]


PROGRAMS = [
    keeps_the_last,
    adds_and_drops,
    goes_over,
    is_empty_or_not,
    drops_what_is_too_much,
    has_a_key_or_not,
    keeps_the_types,
]
CALLS = [np.array(x) for x in ((2.0, -1.0), (-1.0, 0.5), (0.5, 0.7), (-2.0, -0.1), (1.5, 1.5), (-0.3, 2.0))]


@pytest.mark.parametrize("program", PROGRAMS)
def test_each_call_finds_what_eager_code_finds(program):
    traced, mine, theirs = tracefn.function(program), Box(), Box()
    for x in CALLS:
        assert repr((traced(mine, x), vars(mine))) == repr((program(theirs, x), vars(theirs)))
    assert not traced.fallbacks
    assert traced.tracing_count <= 6


def test_a_list_that_differs_in_length_is_gone_over_as_it_is():
    def program(x):
        values = [1.0] if x > 0 else [1.0, x]
        total = 0.0
        for v in values:
            total = total + v
        return total, [v + 1 for v in values]

    traced = tracefn.function(program)
    for x in (np.float64(2), np.float64(-3)):
        assert repr(traced(x)) == repr(program(x))


def test_an_item_and_an_operation_of_two_branches_do_not_mix():
    def program(held, x):
        if x > 0:
            held[-1] = x
        else:
            held.appendleft(x)

    traced, mine, theirs = tracefn.function(program), deque([0.5]), deque([0.5])
    for x in (np.float64(1), np.float64(-1), np.float64(2)):
        assert repr((traced(mine, x), mine)) == repr((program(theirs, x), theirs))


def test_items_that_a_branch_sets_are_in_what_another_one_leaves():
    def program(held, x):
        if x > 0:
            held[-1:] = [x, 2.0]
            held[0] = x * 2
        else:
            held[0] = 5.0
        return list(held)

    traced, mine, theirs = tracefn.function(program), [0.5], [0.5]
    for x in (np.float64(1), np.float64(-1)):
        assert repr((traced(mine, x), mine)) == repr((program(theirs, x), theirs))


class Model:
    def fit(self, x):
        for v in x:
            if v > 0:
                self.first = v
        return self

    @property
    def doubled(self):
        return self.first * 2


def set_by_a_branch(x):
    model = Model()
    if x.sum() > 0:
        model.w = x * 2
    return model.w.T + 1


def set_by_rounds(x):
    return Model().fit(x).doubled


def changed_where_set(x):
    model = Model()
    for i in range(len(x)):
        if x[i] > 0.5:
            model.best = i
    model.best += 1
    return model.best, getattr(model, "best")  # noqa: B009


@pytest.mark.parametrize("program", [set_by_a_branch, set_by_rounds, changed_where_set])
def test_an_attribute_that_may_be_set_is_its_value_or_an_error(program):
    assert_all_agree(program, *[(x,) for x in CALLS[:4]])


@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning")
def test_the_class_says_what_an_attribute_is_that_is_not_set():
    class Filter:
        gain = 0.5

        def apply(self, x):
            if x[0] > 0:
                self.gain = x[1]
            return x * self.gain

    def program(x):
        return Filter().apply(x)

    traced = tracefn.function(program, on_unsupported="eager")
    for x in CALLS[:4]:
        np.testing.assert_array_equal(traced(x), program(x))
    assert "`gain` of a `Filter` is set by some branches" in traced.fallbacks[0].reason


@pytest.mark.usefixtures("falls_back")
def test_the_reason_names_the_value_that_an_attribute_may_be_given():
    class Stump:
        def __init__(self):
            self.best = -1.0

    def fit(o, x):
        for v in np.unique(x):
            if v > o.best:
                o.best, o.split = v, v
        return o.split

    fitted = tracefn.function(fit)
    assert fitted(Stump(), np.arange(8.0)) == 7
    (fallback,) = fitted.fallbacks
    assert "`o.split` is set in a loop" in fallback.reason and "object at 0x" not in fallback.reason
