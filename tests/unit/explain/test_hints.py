"""What is advised where no change is proved: following it leaves one trace."""

from __future__ import annotations

import numpy as np
import pytest
import tracefn

X = np.ones(3)


class Config:
    def __init__(self, rate: float) -> None:
        self.rate = rate


def total(xs):
    return sum(xs)


def scaled(x, config):
    return x * (config if isinstance(config, np.ndarray) else config.rate)


def first(x, settings):
    return x * settings["rate"]


def by(x, n):
    return x * n


def item(xs):
    return xs[0] + 1


CASES = {
    "arrays": (total, [([X] * n,) for n in (1, 2, 3)], "np.stack(xs)", [(np.stack([X] * n),) for n in (1, 2, 3)]),
    "numbers": (total, [([1.0] * n,) for n in (1, 2)], "np.asarray(xs)", [(np.asarray([1.0] * n),) for n in (1, 2)]),
    "mixed": (total, [([X, 1.0],), ([X, 1.0, X],)], "", None),
    "keys": (
        first,
        [(X, {"rate": 1.0}), (X, {"rate": 1.0, "n": 2})],
        "with the same keys at each call",
        [(X, {"rate": 1.0}), (X, {"rate": 1.0})],
    ),
    "objects": (
        scaled,
        [(X, Config(0.1)), (X, Config(0.2))],
        "Pass the parts of config that the function reads (config.rate) as arguments",
        [(X, np.asarray(0.1)), (X, np.asarray(0.2))],
    ),
    "types": (by, [(X, 1), (X, 1.0)], "a float holds both", [(X, 1.0), (X, 1.0)]),
    "containers": (item, [([X],), ((X,),)], "one kind of container", [([X],), ([X],)]),
    "needed": (lambda x, how: x + 1 if how == "a" else x * 2, [(X, "a"), (X, "b")], "", None),
}


@pytest.mark.parametrize("name", CASES)
def test_what_usually_helps(name: str) -> None:
    function, calls, said, better = CASES[name]
    f = tracefn.function(function)
    for call in calls:
        f(*call)
    found = f.explain()
    assert found.fix is None
    assert said in found.hint and bool(found.hint) == bool(said)
    assert found.advice.endswith(found.hint) and found.to_dict()["hint"] == found.hint
    if better is not None:
        g = tracefn.function(function, reduce_retracing=name in ("arrays", "numbers"))
        for old, new in zip(calls, better, strict=True):
            np.testing.assert_array_equal(g(*new), function(*old))
        made = g.tracing_count
        for new in better:
            g(*new)
        assert g.tracing_count == made <= (2 if g.reduce_retracing else 1)


def test_a_proved_change_needs_no_hint() -> None:
    f = tracefn.function(by)
    for n in (1, 2, 3):
        f(X, n)
    found = f.explain()
    assert found.fix is not None and found.hint == ""
