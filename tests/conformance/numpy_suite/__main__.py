"""Runs all of NumPy's tests traced and writes `counts.json`: `make numpy-tests`. Fails where `skips.txt` differs."""

from __future__ import annotations

import os
import sys

from . import counts, modules, runs, skips


def main() -> int:
    """The exit status: 1 where a test fails that is not listed, or one passes that is."""
    outcomes = runs.run(modules.MODULES, workers=os.cpu_count() or 1)
    counts.commit(counts.of(outcomes))
    for difference in (found := skips.differences(outcomes)):
        print(difference)
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
