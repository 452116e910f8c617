"""What holds for all tests: random programs are tried without a time limit, a busy machine is no failure; programs are
compared with NumPy bit by bit, so that those which are to become machine code say so; and no compiled code is kept."""

import os

import guarded_memory
import pytest
from hypothesis import settings

os.environ["TRACEFN_CACHE"] = "off"
os.environ.setdefault("TRACEFN_JIT", "off")

settings.register_profile("tracefn", deadline=None)
settings.load_profile("tracefn")


@pytest.fixture
def guarded():
    """The arrays of the test lie in guarded memory."""
    with guarded_memory.guarded():
        yield
