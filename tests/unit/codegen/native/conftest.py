"""All that machine code reads and writes in these tests lies in guarded memory."""

import pytest


@pytest.fixture(autouse=True)
def _guarded(guarded):
    pass
