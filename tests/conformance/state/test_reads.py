"""Each way to read a value from outside is one that a later call reads anew."""

import os
import random

import pytest
from conformance.state.reads import cases, differences

EXAMPLES = int(os.environ.get("TRACEFN_FUZZ", "0"))


def test_each_read_is_recorded():
    seed = random.SystemRandom().randrange(10**6, 10**9) if EXAMPLES else 0
    wrong, _ = differences(seed, EXAMPLES or 80)
    if wrong:
        pytest.fail("\n".join([f"{len(wrong)} differ, seed {seed}", *wrong[:20]]))


def test_there_are_enough():
    assert len(cases()) > 8000
