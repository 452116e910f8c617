"""What machine code must know of Python and NumPy is asked of objects that nothing else can take the place of."""

from __future__ import annotations

import sys

from tracefn.codegen.machine import abi


def test_fields_are_known_while_other_code_runs_in_between():
    kept = []

    def allocate(*_: object) -> None:
        kept.append([[0] * 7 for _ in range(5)])  # takes the memory of what has just been given back

    before, known = sys.getprofile(), abi._fields_are_known()
    sys.setprofile(allocate)
    try:
        found = abi._fields_are_known()
    finally:
        sys.setprofile(before)
    assert (found, len(kept) > 10) == (known, True)
