"""Lists, dicts and dataclasses among the arguments that the function reaches in another way as well."""

import dataclasses

import numpy as np
import pytest
import tracefn

LOG = []


class Model:
    def __init__(self, held):
        self.held = held


@dataclasses.dataclass
class Point:
    x: float


def change_the_argument(x, given, model):
    given.append(x[0])
    return len(model.held)


def change_the_attribute(x, given, model):
    model.held.append(x[0])
    return given[-1]


def change_both(x, given, model):
    model.held.append(x[0])
    given.reverse()


def change_the_global(x, given, model):
    LOG.append(x.sum())
    return len(given)


def change_a_dict(x, given, model):
    for key in given:
        model.held[key] = given[key] + x[0]
    return given["a"]


def change_a_field(x, given, model):
    given.x = x[0]
    return model.held.x


CASES = [
    (change_the_argument, lambda: [1.5]),
    (change_the_attribute, lambda: [1.5]),
    (change_both, lambda: [1.5]),
    (change_the_global, lambda: LOG),
    (change_a_dict, lambda: {"a": 1.0}),
    (change_a_field, lambda: Point(1.0)),
]


@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning")
@pytest.mark.parametrize("function, make", CASES, ids=[f.__name__ for f, _ in CASES])
def test_one_container_is_one(function, make):
    def outcomes(step):
        LOG.clear()
        model, found = Model(make()), []
        for k in range(6):
            given = model.held if k in (0, 3) else make()
            result = step(np.arange(1.0 + k, 4.0 + k), given, model)
            found.append(repr((result, given, model.held)))
        return found

    assert outcomes(tracefn.function(function, on_unsupported="eager")) == outcomes(function)


def test_others_stay_in_the_graph():
    @tracefn.function(on_unsupported="error")
    def step(x, given, model):
        given.append(x[0])
        model.held[0] = x[1]

    model = Model([0.0])
    for _ in range(3):
        given = [1.0]
        step(np.arange(2.0), given, model)
        assert (given, model.held) == ([1.0, 0.0], [1.0])
    assert step.tracing_count == 1
    with pytest.raises(tracefn.errors.InPlaceWriteError, match=r"`given` is `model\.held` as well"):
        step(np.arange(2.0), model.held, model)
