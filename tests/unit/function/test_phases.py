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
