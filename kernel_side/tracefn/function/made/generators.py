"""The random generators from which a trace draws: the way to them, and their guards."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from ...errors import UnsupportedFunctionError, message
from ...ir.graph import Graph
from ...runtime.calls.memory_guards import MemoryGuard
from ...trace.context import Trace
from ...trace.origin import user_source, where
from ...trace.state.captures import Captures
from ...trace.state.compared import reference
from ...trace.state.paths import IdentityCapture, Path


def label(captures: Captures, generator: Any) -> str:
    """The name of a generator in the graph. Raises `UnsupportedFunctionError` for one that no path leads to: it may be
    another one at the next call."""
    if generator is np.random.mtrand._rand:
        return "np.random"
    paths = captures.generators.paths_to(generator)
    if not paths:
        raise UnsupportedFunctionError(
            message(
                "a random generator is drawn from, and where the traced function has it from is not known",
                where(user_source(4)),
                "Pass it as an argument, keep it in a global or an attribute, or make it in the traced function.",
            )
        )
    return paths[0].text


def refuse_draws(graph: Graph) -> None:
    """Raises `UnsupportedFunctionError` for a program of another device that draws: NumPy draws on the CPU."""
    for node in graph.nodes:
        if node.op.style == "draw":
            raise UnsupportedFunctionError(
                message(
                    f"`{node.op.name}` draws random numbers, and the program runs on a GPU",
                    where(node.source),
                    "Draw outside and pass the array as an argument.",
                )
            )
        for body in node.bodies:
            refuse_draws(body.graph)


def generator_paths(trace: Trace, captures: Captures) -> dict[str, Any]:
    """Name of a capture → the path where a call finds the generator, or itself where there are several."""
    found: dict[str, Any] = {}
    for generator, tensor in trace.generators.values():
        paths = _paths(captures, generator)
        found[str(tensor._node.args[0])] = paths[0] if len(paths) == 1 else generator
    return found


def generator_guards(trace: Trace, captures: Captures) -> list[IdentityCapture]:
    """Guards of the generators that are no captures by their path: the code may ask which they are."""
    drawn = [generator for generator, _ in trace.generators.values() if len(_paths(captures, generator)) == 1]
    return [
        IdentityCapture(c.path, reference(c.generator))
        for c in captures.generators
        if not any(c.generator is d for d in drawn)
    ]


def distinct_generators(trace: Trace, captures: Captures) -> list[MemoryGuard]:
    """Guards that generators at different places do not become one."""
    paths = [p[0] for generator, _ in trace.generators.values() if len(p := _paths(captures, generator)) == 1]
    return [MemoryGuard("distinct", left, right) for left, right in itertools.combinations(paths, 2)]


def _paths(captures: Captures, generator: Any) -> list[Path]:
    return [] if generator is np.random.mtrand._rand else captures.generators.paths_to(generator)
