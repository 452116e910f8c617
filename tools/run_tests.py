"""Runs the tests of one suite with pytest, and those that failed a second time, alone in a new process.

    run_tests.py REPORT ARGUMENTS_OF_PYTEST…

A test that fails twice fails. One that fails once is named, and `summary.py` lists it: chance has a cause, too. The
second report is written to the folder `again` beside the first.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

MOST = 20
"""So many failures are no chance: they are not tried again."""

TESTS_FAILED = 1
"""The exit status with which pytest says that tests have failed, and nothing else went wrong."""


def main(report: str, *arguments: str) -> int:
    """Runs the suite and returns the exit status of pytest, 0 where all that failed passes the second time."""
    first = Path(report)
    second, cache = first.parent / "again" / first.name, first.parent / "cache" / first.stem
    last_failed = cache / "v" / "cache" / "lastfailed"
    for old in (second, last_failed):
        old.unlink(missing_ok=True)
    pytest = [sys.executable, "-m", "pytest", "-q", *arguments, "-o", f"cache_dir={cache.absolute()}"]
    status = subprocess.run([*pytest, f"--junit-xml={first}"]).returncode
    if status != TESTS_FAILED:
        return status
    failed = list(json.loads(last_failed.read_text()))
    if len(failed) > MOST:
        return status
    print(f"\n── Failed, and run again alone: {', '.join(failed)}", flush=True)
    return subprocess.run([*pytest, f"--junit-xml={second}", "-n", "0", "--last-failed"]).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
