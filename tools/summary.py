"""Adds up the test reports of one `make test` and prints the total as the last line."""

from __future__ import annotations

import collections
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path


def outcomes(reports: Path) -> dict[tuple[str, ...], list[str]]:
    """The outcome of each test, by its report, file and name: 'passed', 'failed' (errors included) or 'skipped'.

    Each has a list, as names of front-end tests need not be unique.
    """
    found: dict[tuple[str, ...], list[str]] = collections.defaultdict(list)
    for path in sorted(reports.glob("*.xml")):
        for case in ElementTree.parse(path).getroot().iter("testcase"):
            kinds = {child.tag for child in case}
            outcome = "failed" if kinds & {"failure", "error"} else "skipped" if "skipped" in kinds else "passed"
            found[path.stem, case.get("classname", ""), case.get("name", "")].append(outcome)
    return found


def run_again(reports: Path) -> list[tuple[str, ...]]:
    """The tests that failed and passed when they were run again: they pass by chance, or fail by it."""
    return [test for test, found in outcomes(reports / "again").items() if "failed" not in found]


def totals(reports: Path) -> dict[str, int]:
    """The number of tests passed, failed (errors included) and skipped in the JUnit reports of a folder."""
    found = {**outcomes(reports), **{test: ["passed"] for test in run_again(reports)}}
    counts = collections.Counter(outcome for each in found.values() for outcome in each)
    return {name: counts[name] for name in ("passed", "failed", "skipped")}


def dearest(reports: Path, count: int = 10) -> list[tuple[str, float]]:
    """The test files that took longest in the reports of a folder, with the seconds of all workers together."""
    seconds: collections.Counter[str] = collections.Counter()
    for path in sorted(reports.glob("*.xml")):
        for case in ElementTree.parse(path).getroot().iter("testcase"):
            seconds[f"{path.stem}: {case.get('classname', '')}"] += float(case.get("time", 0))
    return seconds.most_common(count)


def main(reports: str, seconds: str, *failed_suites: str) -> int:
    """Prints the dearest files, the tests that failed once, and the totals. Returns 1 if a suite failed, even one that
    wrote no report."""
    counts = totals(Path(reports))
    for name, spent in dearest(Path(reports)):
        print(f"{spent:7.1f} s  {name}")
    for report, place, name in run_again(Path(reports)):
        print(f"FAILED ONCE, passed when run again: {report}: {place}: {name}")
    if failed_suites:
        print(f"\nFAILED: {', '.join(failed_suites)}")
    text = ", ".join(f"{count} {name}" for name, count in counts.items() if count or name == "passed")
    print(f"\n===== make test: {text} in {seconds}.00s =====")
    return 1 if failed_suites else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
