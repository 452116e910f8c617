"""Nested control flow to depth 3: rewritten code is the original on Python values, and staged code on traced ones."""

import types

import numpy as np
import pytest
import sizes
import tracefn
from trace_programs import compiled, source
from tracefn.trace.autograph import HELPERS, converted_code, operators

INPUTS = ((0, 0), (3, 1), (6, 2), (1, 5))


def outcome(function, a, b):
    log = []
    try:
        return function(a, b, 2, log), log
    except Exception as error:
        return (type(error), str(error)), log


@pytest.mark.parametrize("block", range(sizes.of(3, 10)))
def test_rewritten_code_is_the_original_on_python_values(block):
    for seed in range(block * 100, block * 100 + 100):
        original = compiled(source(seed, effects=True))
        code = converted_code(original.__code__)
        rewritten = types.FunctionType(code, original.__globals__ | {HELPERS: operators}, "f")
        for a, b in INPUTS:
            assert outcome(rewritten, a, b) == outcome(original, a, b), source(seed, effects=True)


@pytest.mark.parametrize("block", range(sizes.of(3, 10)))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_staged_code_is_the_original_on_traced_values(block):
    for seed in range(block * 100, block * 100 + 100):
        text = source(seed, effects=False)
        original = compiled(text)
        f = tracefn.function(original)
        for a, b in INPUTS:
            wanted = original(np.int64(a), np.int64(b), 2, None)
            got = f(np.int64(a), np.int64(b), 2, None)
            assert [int(v) for v in got] == [int(v) for v in wanted], text
        assert f.tracing_count == 1, text
