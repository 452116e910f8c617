"""Programs with state that once differed from eager code: `found.txt` has them, one below a line that names it.

Where a function of one runs by fallback, the name ends in "(eagerly)".
"""

import re
from pathlib import Path

import pytest
import tracefn
from conformance.state.compare import compare_source

HEADER = """\
from collections import Counter, OrderedDict, defaultdict, deque
import numpy as np
from tracefn import function as traced
x3 = np.array([0.5, -1.0, 2.0])
"""
_PARTS = re.split(r"^# --- (.*)\n", (Path(__file__).parent / "found.txt").read_text(), flags=re.M)
PROGRAMS = dict(zip(_PARTS[1::2], _PARTS[2::2], strict=True))


@pytest.mark.parametrize("name", PROGRAMS)
def test_as_undecorated_in_few_traces(name):
    with tracefn.config.jit("off"), tracefn.config.on_unsupported("eager"):
        outcome = compare_source(HEADER + PROGRAMS[name], "found_" + re.sub(r"\W", "_", name))
    assert not any(re.fullmatch(r"name '\w+' is not defined", error) for error in outcome.errors), outcome.errors
    assert outcome.agrees and not outcome.what, outcome.difference or outcome.what
    assert bool(outcome.fallbacks) == name.endswith("(eagerly)")
    assert max(outcome.traces.values(), default=0) <= 5
