"""What control flow costs: rewriting a function, its hooks, a first call, and staged loops beside eager ones."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from timeit import Timer
from typing import Any

import numpy as np
import tracefn
from tracefn.trace.autograph import convert, operators

from benchmarks.loops import LOOPS, fifty_lines, tanh_loop, twenty_lines
from benchmarks.measure import Spread, in_fresh_process, in_turns

PROCESSES = 7
HOOKS = {
    "callee": "hooks.callee(function)",
    "attribute": "hooks.attribute(owner, 'a')",
    "item": "hooks.item(items, 0)",
    "method": "hooks.method(items, 'append')",
    "store_item": "hooks.store_item(1, table, 'k')",
    "store_attribute": "hooks.store_attribute(1, owner, 'a')",
    "augmented": "hooks.augmented('Add', 1, 2)",
}


@dataclass(frozen=True, slots=True)
class ControlFlow:
    """Seconds, and for loops the ratio of the traced function's time to the eager function's beside it."""

    convert: Spread
    first_call: Spread
    hooks: dict[str, Spread]
    loops: dict[str, tuple[Spread, Spread, Spread]]


def control_flow() -> ControlFlow:
    """Measures all of it; what happens once, in processes of its own."""
    once = [in_fresh_process("benchmarks.control_flow") for _ in range(PROCESSES)]
    loops = {}
    for title, (eager, arguments) in LOOPS.items():
        traced = tracefn.function(eager)
        np.testing.assert_array_equal(traced(*arguments), eager(*arguments))
        own, plain = in_turns([_timer(traced, arguments), _timer(eager, arguments)])
        ratios = [a / b for a, b in zip(own, plain, strict=True)]
        loops[title] = (Spread.of(own), Spread.of(plain), Spread.of(ratios))
    return ControlFlow(
        Spread.of([found["convert"] for found in once]),
        Spread.of([found["first_call"] for found in once]),
        _hooks(),
        loops,
    )


def _timer(function: Any, arguments: tuple[Any, ...]) -> Timer:
    return Timer("function(*arguments)", globals={"function": function, "arguments": arguments})


def _hooks() -> dict[str, Spread]:
    class Owner:
        a = 1

    names = {"hooks": operators, "owner": Owner(), "items": [1], "table": {}, "function": len}
    samples = in_turns([Timer(statement, globals=names) for statement in HOOKS.values()])
    return {name: Spread.of(found) for name, found in zip(HOOKS, samples, strict=True)}


def _once() -> dict[str, float]:
    """The first rewriting of a 50-line function, and the first call of one of 20 lines, after that of another:
    what importing and warming up costs is measured elsewhere."""
    tracefn.function(tanh_loop)(np.ones(2), np.int64(2))
    begin = time.perf_counter()
    convert.converted_code(fifty_lines.__code__)
    converted = time.perf_counter() - begin
    function, x, n = tracefn.function(twenty_lines), np.arange(3.0) / 10, np.int64(5)
    begin = time.perf_counter()
    function(x, n)
    return {"convert": converted, "first_call": time.perf_counter() - begin}


if __name__ == "__main__":
    print(json.dumps(_once()))
