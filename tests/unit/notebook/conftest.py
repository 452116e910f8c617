"""A real kernel for each test module that asks for one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from unit.notebook.real_kernel import Kernel, real_kernel


@pytest.fixture(scope="module")
def kernel() -> Iterator[Kernel]:
    with real_kernel() as kernel:
        yield kernel
