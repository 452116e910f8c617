"""Adds up the test reports of one `make test` and prints the total as the last line."""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path


def totals(reports: Path) -> dict[str, int]:
    """The number of tests passed, failed (errors included) and skipped in the JUnit reports of a folder."""
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for path in sorted(reports.glob("*.xml")):
        for suite in ElementTree.parse(path).getroot().iter("testsuite"):
            tests, failures, errors, skipped = (
                int(suite.get(name, 0)) for name in ("tests", "failures", "errors", "skipped")
            )
            counts["failed"] += failures + errors
            counts["skipped"] += skipped
            counts["passed"] += tests - failures - errors - skipped
    return counts


def main(reports: str, seconds: str, *failed_suites: str) -> int:
    """Prints the totals and returns 1 if a suite failed, even one that wrote no report."""
    counts = totals(Path(reports))
    if failed_suites:
        print(f"\nFAILED: {', '.join(failed_suites)}")
    text = ", ".join(f"{count} {name}" for name, count in counts.items() if count or name == "passed")
    print(f"\n===== make test: {text} in {seconds}.00s =====")
    return 1 if failed_suites else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
