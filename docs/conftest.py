"""The examples of the docs run as users run them: what cannot be traced runs eagerly."""

import pytest
import tracefn
from tracefn.config import unsupported_choice


@pytest.fixture(autouse=True)
def as_it_comes():
    before = unsupported_choice()
    tracefn.config.on_unsupported("eager")
    yield
    tracefn.config.on_unsupported(before)
