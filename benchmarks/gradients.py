"""Values and gradients beside JAX and autograd: `python -m benchmarks.gradients ENGINE` in a process of its own."""

from __future__ import annotations

import json
import sys
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from timeit import Timer
from typing import Any

import numpy as np

from benchmarks.engines import Engine, installed, load
from benchmarks.measure import Spread, in_fresh_process, in_turns
from benchmarks.training import TASKS, thirty_ops

ENGINES = ("tracefn", "jax", "autograd")
FIRST_CALLS = 7


@dataclass(frozen=True, slots=True)
class Differentiated:
    """Seconds of value and gradient together, those over the function alone, sample by sample, and the peak of memory
    in bytes, arguments and results among it; None where that is not known."""

    both: Spread
    over_forward: Spread
    peak: int | None


@dataclass(frozen=True, slots=True)
class Gradients:
    """Task → engine → its times, None for an engine that is not installed or has no idiom for it; and engine →
    seconds of the first gradient of thirty operations."""

    tasks: dict[str, dict[str, Differentiated | None]]
    first: dict[str, Spread | None]


def gradients() -> Gradients:
    """Measures all tasks, each engine in a process of its own. Raises AssertionError where results differ."""
    there = installed(ENGINES)
    tasks: dict[str, dict[str, Differentiated | None]] = {key: dict.fromkeys(ENGINES) for key in TASKS}
    checks: dict[str, list[float]] = {}
    for name in there:
        for key, (both, forward, peak, check) in in_fresh_process("benchmarks.gradients", name).items():
            ratios = [a / b for a, b in zip(both, forward, strict=True)]
            tasks[key][name] = Differentiated(Spread.of(both), Spread.of(ratios), peak)
            np.testing.assert_allclose(check, checks.setdefault(key, check), rtol=1e-3, err_msg=f"{key} of {name}")
    first: dict[str, list[float]] = {name: [] for name in there}
    for _ in range(FIRST_CALLS):
        for name in there:
            first[name].append(in_fresh_process("benchmarks.gradients", name, "first"))
    return Gradients(tasks, {name: Spread.of(first[name]) if name in first else None for name in ENGINES})


def _derivatives(name: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The makers of the function that gives value and gradient, and of the one that gives the gradient."""
    if name == "jax":
        import jax

        return lambda f: jax.jit(jax.value_and_grad(f)), lambda f: jax.jit(jax.grad(f))
    if name == "autograd":
        import autograd

        return autograd.value_and_grad, autograd.grad
    import tracefn

    return tracefn.value_and_grad, tracefn.grad


def _measure(name: str) -> dict[str, Any]:
    """Task → seconds of value and gradient and of the value, the peak, and value and norm of the gradient."""
    engine, (both_of, _) = load(name), _derivatives(name)
    found = {}
    for key, task in TASKS.items():
        if (function := task.make(name, engine)) is None:
            continue
        arguments = _mapped(engine.array, task.arguments())
        both, forward = both_of(function), engine.trace(function)
        timers = [_timer(engine, call, arguments) for call in (both, forward)]
        value, gradient = both(*arguments)
        leaves = gradient if isinstance(gradient, list | tuple) else [gradient]
        check = [float(value), *(float(np.linalg.norm(np.asarray(leaf))) for leaf in leaves)]
        found[key] = (*in_turns(timers), _peak(name, both, arguments), check)
    return found


def _timer(engine: Engine, call: Callable[..., Any], arguments: tuple[Any, ...]) -> Timer:
    """Times a call, and lets it become as fast as it will before."""
    engine.settle(lambda: call(*arguments))
    if engine.wait:  # that of JAX takes structures as well
        import jax

        return Timer(lambda: jax.block_until_ready(call(*arguments)))
    return Timer(lambda: call(*arguments))


def _mapped(function: Callable[[Any], Any], value: Any) -> Any:
    if isinstance(value, list | tuple):
        return type(value)([_mapped(function, part) for part in value])
    return function(value)


def _peak(name: str, both: Any, arguments: tuple[Any, ...]) -> int | None:
    """The peak of memory of a call: XLA's plan, and the allocations of NumPy and Python."""
    if name == "jax":
        plan = both.lower(*arguments).compile().memory_analysis()
        return int(plan.temp_size_in_bytes + plan.argument_size_in_bytes + plan.output_size_in_bytes)
    if name != "tracefn":
        return None
    sizes: list[int] = []
    _mapped(lambda array: sizes.append(array.nbytes), arguments)
    tracemalloc.start()
    both(*arguments)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak + sum(sizes)


def _first(name: str) -> float:
    """Seconds of the first gradient of thirty operations. Arrays exist, and the backend runs."""
    engine, (_, gradient_of) = load(name), _derivatives(name)
    x, w = (engine.array(np.linspace(a, 1, 16)) for a in (0, 0.5))
    begin = time.perf_counter()
    result = gradient_of(thirty_ops(engine.xp))(x, w)
    if engine.wait:
        result.block_until_ready()
    return time.perf_counter() - begin


if __name__ == "__main__":
    print(json.dumps(_first(sys.argv[1]) if sys.argv[2:] == ["first"] else _measure(sys.argv[1])))
