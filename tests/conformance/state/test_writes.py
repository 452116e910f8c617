"""Each way to write to a place outside leaves what it leaves in eager code."""

import os
import random

import pytest
from conformance.state.writes import cases, differences

EXAMPLES = int(os.environ.get("TRACEFN_FUZZ", "0"))


def test_each_write_is_made():
    seed = random.SystemRandom().randrange(10**6, 10**9) if EXAMPLES else 0
    wrong, _ = differences(seed, EXAMPLES or 60)
    if wrong:
        pytest.fail("\n".join([f"{len(wrong)} differ, seed {seed}", *wrong[:20]]))


def test_there_are_enough():
    assert len(cases()) > 3000
