"""Lists of items that have no type in common, which branches of the graph append to."""

import numpy as np
import pytest
import tracefn


def texts_and_tuples(x):
    found = []
    if x.sum() > 0:
        found.append("positive")
    found.append((x, 1))
    if x[0] > 2:
        found.append(3)
    else:
        found.append(2.5)
    return found


def read_afterwards(x):
    found = [1]
    for value in x:
        if value > 1:
            found.append(value)
    found += [len(found), "end"]
    return found, found[-1], len(found)


def early_return(x):
    found = []
    if x.sum() > 0:
        found.append(x[0])
    found.append(2)
    if x[0] > 1:
        found.append(float(x[0]))
        return found
    found.append(None)
    return {"found": found}


def one_that_holds_others(x):
    found, types = [], [1, 2]
    if x.sum() > 0:
        found.append([x, 1])
        types[0] = "a"
    else:
        types.append(x)
    types += [len(found)]
    return types, found, [type(v).__name__ for v in types]


def of_two_dtypes(x):
    found = []
    if x.sum() > 0:
        found.append(x[0])
    if x.sum() > 2:
        found.append(x.astype(np.float32))
    return found


def adds_one_to_another(x):
    left, right = [1], ["t"]
    if x.sum() > 0:
        left.append("positive")
    right += left
    return left, right


def comprehension(x):
    return [f"item {i}" for i, v in enumerate(x) if v > 0.3], [(i, v) for i, v in enumerate(x) if v > 1]


PROGRAMS = [
    adds_one_to_another,
    comprehension,
    texts_and_tuples,
    read_afterwards,
    early_return,
    one_that_holds_others,
    of_two_dtypes,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_each_call_gives_the_list_of_eager_code(program):
    traced = tracefn.function(program, on_unsupported="error")
    for value in (1.0, -1.0, 3.0, 0.5):
        x = np.array([value, value / 2])
        assert repr(traced(x)) == repr(program(x))
    assert traced.tracing_count == 1


def test_the_reason_of_a_list_that_a_loop_fills_stays():
    @tracefn.function(on_unsupported="error")
    def filled(x):
        found = []
        while x.sum() > 0:
            found.append("round")
            x = x - 1
        return found

    with pytest.raises(tracefn.TracefnError, match="a text is put into a list that the graph keeps"):
        filled(np.ones(2))


class Window:
    """The samples of the last two seconds."""

    def __init__(self):
        self.samples, self.time = [], 0.0

    def step(self, x):
        self.time += x[0]
        self.samples.append((self.time, x))
        self.samples = [sample for sample in self.samples if sample[0] > self.time - 2]
        return len(self.samples), sum(np.sum(v) for _, v in self.samples)


def test_a_window_of_tuples_that_a_condition_cuts():
    mine, theirs = Window(), Window()
    step = tracefn.function(Window.step, on_unsupported="error")
    for value in (1.0, -1.0, 3.0, 0.5, 1.5):
        x = np.array([value, value / 2])
        assert repr(step(mine, x)) == repr(Window.step(theirs, x))
        assert repr(vars(mine)) == repr(vars(theirs))
