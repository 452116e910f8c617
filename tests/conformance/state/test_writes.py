"""Each way to write to a place outside leaves what it leaves in eager code."""

import os
import random

import pytest
import tracefn
from conformance.state import identities
from conformance.state.writes import cases, differences

EXAMPLES = int(os.environ.get("TRACEFN_FUZZ", "0"))


def test_each_write_is_made():
    seed = random.SystemRandom().randrange(10**6, 10**9) if EXAMPLES else 0
    wrong, _ = differences(seed, EXAMPLES or 60)
    if wrong:
        pytest.fail("\n".join([f"{len(wrong)} differ, seed {seed}", *wrong[:20]]))


@pytest.mark.parametrize("course", identities.COURSES)
def test_what_is_made_is_the_same_object_elsewhere(course):
    rng = random.Random(None if EXAMPLES else course)
    for case in rng.sample([case for case in identities.cases() if case[3] == course], EXAMPLES // 10 or 3):
        with tracefn.config.on_unsupported("eager"):
            found = identities.outcome(*case)
        assert found.agrees, f"{case}: {found.difference}"


def test_there_are_enough():
    assert len(cases()) > 3000
    assert len(identities.cases()) > 10000
