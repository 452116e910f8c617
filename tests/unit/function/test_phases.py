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
