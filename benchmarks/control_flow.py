"""The cost of control flow: rewriting a function, first calls, hooks of rewritten code, staged loops beside eager ones.

`python -m benchmarks.control_flow ENGINE` measures first calls in a process of its own; `rewriting` in the place of
an engine measures that.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from timeit import Timer
from typing import Any

import numpy as np
import tracefn
from tracefn.runtime.worker import wait_until_built
from tracefn.trace.autograph import operators
from tracefn.trace.autograph.rewrite import convert

from benchmarks.engines import TRACERS, installed, load
from benchmarks.loops import LOOPS, fifty_lines, tanh_loop
from benchmarks.measure import Spread, in_fresh_process, in_turns
from benchmarks.twenty_lines import IDIOMS, python_lines

REWRITING = "rewriting"
PROCESSES = {REWRITING: 9, "tracefn": 9, "jax": 3, "tensorflow": 3}
REPEATS = 15

#: Hook → the call that rewritten code makes, and the one that it replaces.
HOOKS = {
    "callee": ("hooks.callee(function)", "function"),
    "attribute": ("hooks.attribute(owner, 'a')", "owner.a"),
    "item": ("hooks.item(items, 0)", "items[0]"),
    "method": ("hooks.method(items, 'append')", "items.append"),
    "store_item": ("hooks.store_item(one, table, 'k')", "table['k'] = one"),
    "store_attribute": ("hooks.store_attribute(one, owner, 'a')", "owner.a = one"),
    "augmented": ("hooks.augmented('Add', one, one)", "one + one"),
    "not_": ("hooks.not_(one)", "not one"),
}


@dataclass(frozen=True, slots=True)
class Beside:
    """Seconds of one call of tracefn, of plain Python's beside it, and their ratio, sample by sample."""

    own: Spread
    plain: Spread
    ratio: Spread


@dataclass(frozen=True, slots=True)
class ControlFlow:
    """Seconds of rewriting 50 lines and of first calls, and the cost of hooks and loops beside plain Python: loops as
    NumPy programs, and as native ones.

    `…_again` is in a process that has done the same before, and forgot the rewritten code.
    """

    rewriting: Spread
    rewriting_again: Spread
    first_call: dict[str, Spread | None]
    first_call_again: Spread
    hooks: dict[str, Beside]
    loops: dict[str, Beside]
    native_loops: dict[str, Beside]


def control_flow() -> ControlFlow:
    """Measures all of it: the parts that are slower the first time in fresh processes, in turns."""
    there = installed()
    found: dict[str, list[list[float]]] = {name: [] for name in (REWRITING, *there)}
    in_fresh_process("benchmarks.control_flow", "tracefn")  # compiles the modules of a fresh checkout
    for turn in range(max(PROCESSES.values())):
        for name, processes in found.items():
            if turn < PROCESSES[name]:
                processes.append(in_fresh_process("benchmarks.control_flow", name))
    first = {name: Spread.of(seconds for seconds, *_ in processes) for name, processes in found.items()}
    again = {name: Spread.of(s for _, *more in found[name] for s in more) for name in (REWRITING, "tracefn")}
    return ControlFlow(
        rewriting=first[REWRITING],
        rewriting_again=again[REWRITING],
        first_call={name: first.get(name) for name in TRACERS},
        first_call_again=again["tracefn"],
        hooks=_hooks(),
        loops={title: _loop(function, arguments, "off") for title, (function, arguments) in LOOPS.items()},
        native_loops={title: _loop(function, arguments, "now") for title, (function, arguments) in LOOPS.items()},
    )


def _hooks() -> dict[str, Beside]:
    class Owner:
        a = 1

    names = {"hooks": operators, "owner": Owner(), "items": [1], "table": {}, "function": _hooks, "one": 1}
    timers = [Timer(statement, globals=names) for pair in HOOKS.values() for statement in pair]
    samples = in_turns(timers)
    return {name: _beside(*samples[2 * i : 2 * i + 2]) for i, name in enumerate(HOOKS)}


def _loop(eager: Callable[..., Any], arguments: tuple[Any, ...], jit: str) -> Beside:
    """Times a traced function beside the function itself; checks first that both give the same."""
    functions = tracefn.function(eager, jit=jit), eager
    np.testing.assert_array_equal(functions[0](*arguments), eager(*arguments))
    wait_until_built()
    return _beside(*in_turns([Timer("f(*a)", globals={"f": function, "a": arguments}) for function in functions]))


def _beside(own: list[float], plain: list[float]) -> Beside:
    ratio = Spread.of(a / b for a, b in zip(own, plain, strict=True))
    return Beside(Spread.of(own), Spread.of(plain), ratio)


def _first_calls(name: str) -> list[float]:
    """Seconds of first calls, the very first at the front, once a smaller loop has been traced.

    The function is wrapped anew for each call. Only tracefn can be made to forget its rewritten code, so it alone
    repeats.
    """
    engine = load(name)
    smaller, lines = IDIOMS[name]()
    x, n = engine.array(np.arange(3.0) / 10), engine.array(np.int64(5))
    engine.trace(smaller)(x, n)
    found = []
    for _ in range(REPEATS if name == "tracefn" else 1):
        convert._converted.cache_clear()
        function = engine.trace(lines)
        begin = time.perf_counter()
        results = function(x, n)
        if engine.wait:
            for result in results:
                result.block_until_ready()
        found.append(time.perf_counter() - begin)
    for result, expected in zip(results, python_lines(np.asarray(x), np.int64(5)), strict=True):
        np.testing.assert_allclose(np.asarray(result), expected)
    return found


def _rewritings() -> list[float]:
    """Seconds of rewriting 50 lines, the very first at the front, once a smaller function has been traced."""
    tracefn.function(tanh_loop)(np.ones(2), np.int64(2))
    found = []
    for _ in range(REPEATS):
        convert._converted.cache_clear()
        begin = time.perf_counter()
        convert.converted_code(fifty_lines.__code__)
        found.append(time.perf_counter() - begin)
    return found


if __name__ == "__main__":
    print(json.dumps(_rewritings() if sys.argv[1] == REWRITING else _first_calls(sys.argv[1])))
