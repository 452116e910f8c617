"""Random programs with state: decorated, they return, raise and leave behind what they do undecorated."""

import os
import random

import pytest
from conformance.runner import run
from conformance.state.__main__ import traces_of
from conformance.state.programs import programs
from conformance.state.shrink import shrunk, without_imports

EXAMPLES = int(os.environ.get("TRACEFN_FUZZ", "0"))
"""How many programs, always others: `make fuzz` sets it."""

SAME = 30
"""How many otherwise, the same every time."""

FALLBACKS, TRACES = 0.03, 2.2
"""How many programs may run eagerly, and how many traces a method may have for two lengths."""


@pytest.fixture(scope="module")
def outcomes():
    first = random.SystemRandom().randrange(10**6, 10**9) if EXAMPLES else 0
    return run("conformance.state", first, EXAMPLES or SAME)


def test_decorated_as_undecorated(outcomes):
    wrong = {seed: outcome for seed, outcome in outcomes.items() if not outcome.agrees}
    if wrong:
        seed = min(wrong)
        source, outcome = shrunk(programs(seed), tries=150)
        told = "\n".join(f"{s}: {o.kind}: {o.difference}" for s, o in list(wrong.items())[:20])
        pytest.fail(f"{len(wrong)} of {len(outcomes)}:\n{told}\n\n{without_imports(source)}\n{outcome.difference}")


OF_MANY = pytest.mark.skipif(not EXAMPLES, reason="a share of many programs: make fuzz")


@OF_MANY
def test_few_run_eagerly(outcomes):
    fell = {seed: outcome.fallbacks[0] for seed, outcome in outcomes.items() if outcome.fallbacks}
    assert len(fell) <= FALLBACKS * len(outcomes), fell


@OF_MANY
def test_few_traces(outcomes):
    assert traces_of(outcomes) <= TRACES


def test_programs_agree_with_themselves():
    """Else what is found is the fault of the comparison."""
    import tracefn
    from conformance.state.compare import compare

    with tracefn.config.run_functions_eagerly():
        for seed in range(30):
            outcome = compare(seed)
            assert outcome.agrees, (seed, outcome.difference)
