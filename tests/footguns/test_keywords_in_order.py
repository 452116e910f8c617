"""`**keywords` have the order of the call."""

import numpy as np
import pytest
import tracefn


@pytest.mark.parametrize("mode", ["off", "now"])
def test_keywords_keep_the_order_of_the_call(mode):
    log = []

    @tracefn.function(jit=mode)
    def record(x, **given):
        log.append(given)
        return {**given, "sum": x.sum()}

    for _ in range(3):
        assert list(record(np.ones(2), z=1, a=np.ones(1))) == ["z", "a", "sum"]
        assert list(record(np.ones(2), a=np.ones(1), z=1)) == ["a", "z", "sum"]
    assert [list(given) for given in log] == [["z", "a"], ["a", "z"]] * 3
