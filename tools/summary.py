"""Adds up the test reports of one `make test` and prints the total as the last line."""

from __future__ import annotations

import collections
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


def dearest(reports: Path, count: int = 10) -> list[tuple[str, float]]:
    """The test files that took longest in the reports of a folder, with the seconds of all workers together."""
    seconds: collections.Counter[str] = collections.Counter()
    for path in sorted(reports.glob("*.xml")):
        for case in ElementTree.parse(path).getroot().iter("testcase"):
            seconds[f"{path.stem}: {case.get('classname', '')}"] += float(case.get("time", 0))
    return seconds.most_common(count)


def main(reports: str, seconds: str, *failed_suites: str) -> int:
    """Prints the dearest files and the totals, and returns 1 if a suite failed, even one that wrote no report."""
    counts = totals(Path(reports))
    for name, spent in dearest(Path(reports)):
        print(f"{spent:7.1f} s  {name}")
    if failed_suites:
        print(f"\nFAILED: {', '.join(failed_suites)}")
    text = ", ".join(f"{count} {name}" for name, count in counts.items() if count or name == "passed")
    print(f"\n===== make test: {text} in {seconds}.00s =====")
    return 1 if failed_suites else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
