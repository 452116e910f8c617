"""The committed counts of what came of NumPy's tests: `counts.json`, which docs/numpy.md shows."""

from __future__ import annotations

import collections
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

COUNTS = Path(__file__).with_name("counts.json")

#: What a refusal's message begins with, and what the page says.
REASONS = {
    r".* holds Python objects": "arrays of Python objects",
    r".* is an (array of raw bytes|element of a structured array)": (
        "raw bytes, and single elements of structured arrays"
    ),
    r".* is a numpy\.ma\.": "masked arrays",
    r".* is a .*, which is not traced": "subclasses of `np.ndarray`",
    r".* decides the shape of the result": "a traced value that decides a shape",
    r".*turned into a concrete array": "a protocol that asks for a concrete array",
    r"InPlaceWriteError": "a write in place that cannot be traced",
    r".* np\.(?:linalg\.)?eig(?:vals)? on": "`np.linalg.eig` of a real matrix",
}


def reason(message: str) -> str:
    """The kind of a refusal, by its message."""
    if found := next((words for pattern, words in REASONS.items() if re.match(pattern, message)), None):
        return found
    function = re.search(r" (np\.[\w.]+)", message)
    return f"`{function[1]}`, called in a way that is not traced" if function else message.partition(":")[0]


def of(outcomes: Mapping[str, tuple[str, str]]) -> dict[str, Any]:
    """Module → outcome → number of tests; and for those refused, reason → number."""
    modules: dict[str, collections.Counter[str]] = {}
    refused: collections.Counter[str] = collections.Counter()
    for name, (outcome, message) in outcomes.items():
        modules.setdefault(name.partition("::")[0], collections.Counter())[outcome] += 1
        if outcome == "refused":
            refused[reason(message)] += 1
    return {
        "numpy": np.__version__,
        "modules": {module: dict(sorted(counts.items())) for module, counts in sorted(modules.items())},
        "refused": dict(sorted(refused.items(), key=lambda item: (-item[1], item[0]))),
    }


def committed() -> dict[str, Any]:
    """The counts of the last full run."""
    return json.loads(COUNTS.read_text(encoding="utf-8"))


def commit(counts: dict[str, Any]) -> None:
    """Makes these the counts of the last full run."""
    COUNTS.write_text(json.dumps(counts, indent=1) + "\n", encoding="utf-8")
