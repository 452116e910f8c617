"""Random programs about what shares memory: traced, they do what they do plainly, and most are graphs."""

import os
import random

import pytest
from conformance.fuzz.aliasing import Program
from conformance.fuzz.memory import shrunk
from conformance.runner import run
from roundings import ON_MACHINE_CODE

EXAMPLES = int(os.environ.get("TRACEFN_FUZZ", "0"))
"""How many programs, always others: `make fuzz` sets it."""

JIT = "now" if ON_MACHINE_CODE else "off"

SAME = 25 if ON_MACHINE_CODE else 50
"""How many otherwise, the same every time: of 25, one program decides whether the share of graphs is reached, which is
the same on machine code."""

GRAPHS = 0.97
"""How many of the programs are graphs, at least."""

FEW = 3
"""So many programs of a sample need not be graphs: they are no share."""


@pytest.fixture(scope="module")
def outcomes():
    first = random.SystemRandom().randrange(10**6, 10**9) if EXAMPLES else 0
    return run("conformance.fuzz", first, EXAMPLES or SAME, "--jit", JIT)


@pytest.mark.timeout(3600)
def test_traced_as_plain(outcomes):
    wrong = {seed: outcome for seed, outcome in outcomes.items() if not outcome.agrees}
    if wrong:
        seed = min(wrong)
        program = Program(seed)
        told = "\n".join(f"{s}: {o.what}: {o.difference}" for s, o in list(wrong.items())[:20])
        source = shrunk(program.source, program.calls, seed, JIT)
        pytest.fail(f"{len(wrong)} of {len(outcomes)}:\n{told}\n\n{source}")


@pytest.mark.skipif(ON_MACHINE_CODE, reason="a share of many programs, which are traced alike")
@pytest.mark.timeout(3600)
def test_most_are_graphs(outcomes):
    fell = {seed: outcome.fallbacks[0] for seed, outcome in outcomes.items() if outcome.fallbacks}
    assert len(fell) <= max(FEW, (1 - GRAPHS) * len(outcomes)), fell
