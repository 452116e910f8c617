"""The examples of the docs run as users run them: functions that cannot be traced run eagerly. No earlier run has left
traces for them."""

import pytest
import tracefn
from tracefn.config import unsupported_choice

tracefn.config.keep_traces(False)


@pytest.fixture(autouse=True)
def as_it_comes():
    before = unsupported_choice()
    tracefn.config.on_unsupported("eager")
    yield
    tracefn.config.on_unsupported(before)
