"""The phases of a first call, and the garbage collector meanwhile."""

import gc

import numpy as np
import pytest
import tracefn


def absolute(x):
    if x > 0:
        return x
    return -x


def test_rewriting_is_a_phase_where_something_was_rewritten():
    phases = []
    for _ in range(2):
        with tracefn.events.record() as events:
            tracefn.function(lambda x: absolute(x) * 2, name="phased")(np.float64(3))
        phases += [list(e.phases) for e in events if e.type == "trace.finished"]
    assert phases[0][:3] == ["bind", "rewrite", "trace"]
    assert phases[1][:2] == ["bind", "trace"]


class Hundredfold:
    pi = 1

    @staticmethod
    def tanh(x):
        return x * 100


def test_code_of_numpy_functions_alone_is_not_rewritten_whatever_numpy_is_called():
    def make(xp):
        def change(to):
            nonlocal xp
            xp = to

        return change, lambda x: xp.tanh(x * 2) + xp.pi

    change, plain = make(np)
    traced = tracefn.function(plain, name="plain")
    x = np.linspace(0, 1, 4)
    for module in (np, Hundredfold, np):
        change(module)
        np.testing.assert_allclose(traced(x), plain(x))
    assert ["rewrite" in c.phases for c in traced.concrete_functions] == [False, True]


class Own:
    def __init__(self, factor):
        self.real, self.factor = factor, factor

    def mean(self, axis=None):
        return self.factor


def changed(x):
    part = x[1:, :2]
    part += x.mean()
    return x.T[0], part


@pytest.mark.parametrize(
    ("python", "is_rewritten"),
    [
        (lambda x: (x - x.mean(axis=0)) / x.std(axis=0, keepdims=True), False),
        (lambda x: np.sqrt(((x[:, None] - x[None, ..., ::-1]) ** 2).sum(axis=-1)).argmin(axis=1), False),
        (lambda x: np.where(x > 0.3)[0], False),
        (lambda x: x[-1] @ x[0, :] + x.T[1:, 2].copy().sum(), False),
        (lambda x: (x - x.sum() / x.shape[0]).reshape(x.size, -1).squeeze(), False),
        (changed, False),
        (lambda x: x[np.argmax(x[0])], True),  # an index that a list would not take
        (lambda x: x[x.argmin() :], True),
        (lambda x: (x, x)[1].sum(), True),
        (lambda x: x.tolist()[0], True),
    ],
)
def test_code_of_arrays_alone_is_not_rewritten(python, is_rewritten):
    x = np.linspace(0.0, 1.0, 9).reshape(3, 3)
    traced, given, expected = tracefn.function(python), x.copy(), x.copy()
    for _ in range(2):
        np.testing.assert_equal(traced(given), python(expected))
        np.testing.assert_array_equal(given, expected)
    longer = np.linspace(0.0, 2.0, 15).reshape(5, 3)
    np.testing.assert_equal(traced(longer.copy()), python(longer))
    assert all(("rewrite" in c.phases) == is_rewritten for c in traced.concrete_functions[:1])


def test_code_of_arrays_is_rewritten_for_other_arguments():
    traced = tracefn.function(lambda x: x.mean() * 2)
    own = Own(3.0)
    assert traced(np.ones(2)) == 2 and traced(own) == 6
    own.factor = 4.0
    assert traced(own) == 8
    assert ["rewrite" in c.phases for c in traced.concrete_functions][:2] == [False, True]
    assert traced(np.float64(2.5)) == 5
    with pytest.raises(AttributeError, match="'float' object has no attribute 'mean'"):
        traced(2.5)


def test_a_function_of_no_module_is_traced():
    names = {}
    exec("def double(x):\n    return x * 2", names)
    names["double"].__module__ = None
    traced = tracefn.function(names["double"])
    np.testing.assert_array_equal(traced(np.ones(2)), [2, 2])
    assert len(traced.concrete_functions) == 1


@pytest.mark.parametrize("enabled", [True, False])
def test_no_garbage_is_collected_while_tracing(enabled):
    seen = []

    @tracefn.autograph.do_not_convert
    def look():
        seen.append(gc.isenabled())

    def looks(x):
        look()
        if x.ndim == 2:
            raise ValueError("no")
        return x + 1

    was = gc.isenabled()
    (gc.enable if enabled else gc.disable)()
    try:
        f = tracefn.function(looks)
        f(np.ones(2))
        assert gc.isenabled() is enabled
        with pytest.raises(ValueError, match="no"):
            f(np.ones((2, 2)))
        assert gc.isenabled() is enabled
        assert seen == [False, False, enabled]  # the Python function itself raises at last
    finally:
        (gc.enable if was else gc.disable)()
